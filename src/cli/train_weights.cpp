#include "cli/train_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/fetch_console.h"
#include "core/cache_folder.h"
#include "core/error.h"
#include "core/mapped_file.h"
#include "data/shallow_json.h"
#include "data/torch_file.h"
#include "data/zip_store.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTorchvision = "imagenet";

std::string source_for(const ModelSpec& model) {
  const std::string source = label_of(model) + "-weights";
  const auto known = fixed_sources();
  if (std::ranges::find(known, source) == known.end())
    throw bad_input(
        fmt::format("--weights {}: torchvision has none for {}", kTorchvision, label_of(model)));
  return source;
}

// Three numbers, as a recipe's line keeps them: "[0.5,0.5,0.5]".
std::optional<std::array<float, 3>> channels_in(const Value& recipe, const char* name) {
  const Value* const line = find(recipe, name);
  const auto* const text = line == nullptr ? nullptr : std::get_if<std::string>(&line->held);
  if (text == nullptr) return std::nullopt;
  const nlohmann::json numbers = parse_shallow_json(*text, name);
  if (!numbers.is_array() || numbers.size() != 3) return std::nullopt;
  std::array<float, 3> channels{};
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (!numbers[i].is_number()) return std::nullopt;
    channels.at(i) = numbers[i].get<float>();
    if (!std::isfinite(channels.at(i))) return std::nullopt;
  }
  return channels;
}

}  // namespace

std::optional<Normalisation> kept_normalisation(const fs::path& weights) {
  const auto file = MappedFile::open(weights);
  if (!looks_like_zip(file->bytes())) return std::nullopt;
  const Value checkpoint = parse_torch_file(file->bytes(), weights.string(), file);
  const Value* const ours = find(checkpoint, "ridgeline");
  const Value* const recipe = ours == nullptr ? nullptr : find(*ours, "recipe");
  if (recipe == nullptr) return std::nullopt;
  const auto mean = channels_in(*recipe, "data.mean");
  const auto deviation = channels_in(*recipe, "data.std");
  if (!mean || !deviation) return std::nullopt;
  return Normalisation{.mean = *mean, .std = *deviation};
}

std::string text_of(const Normalisation& normalisation) {
  return fmt::format("mean {}, deviation {}", fmt::join(normalisation.mean, " "),
                     fmt::join(normalisation.std, " "));
}

std::string other_normalisation(const TrainRequest& request) {
  if (!request.weights || !std::holds_alternative<ResNetSpec>(request.model)) return {};
  const auto kept = kept_normalisation(*request.weights);
  const Normalisation& now = request.settings.normalisation;
  if (!kept || (kept->mean == now.mean && kept->std == now.std)) return {};
  return fmt::format("the weights were trained with {}; --mean and --std say so", text_of(*kept));
}

std::optional<fs::path> find_weights(const TrainFlags& flags, const ModelSpec& model, bool say) {
  if (!flags.weights) return std::nullopt;
  std::error_code ignored;
  if (fs::exists(*flags.weights, ignored)) return *flags.weights;
  if (*flags.weights != kTorchvision)
    throw bad_input(fmt::format("--weights {}: no such file", *flags.weights));
  const std::string source = source_for(model);
  const auto cache = cache_folder();
  if (!cache) throw bad_input("--weights imagenet needs a cache to keep them: set RIDGELINE_CACHE");
  const FetchOptions options{.to = *cache / "weights", .url = flags.data.mirror};
  const FetchItem item = plan_fixed(source, options).items.front();
  if (inspect(item).kind == FetchState::Kind::There) return item.request.to;
  if (flags.data.offline)
    throw bad_input(fmt::format("--weights {}: {} is not there, and --offline forbids fetching it",
                                kTorchvision, item.request.to.string()));
  return fetch_known(source, options, say);
}

}  // namespace ridgeline
