#include "cli/train_weights.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/fetch_console.h"
#include "core/cache_folder.h"
#include "core/error.h"

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

}  // namespace

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
