#include "data/fetch.h"

#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/display.h"
#include "core/error.h"
#include "core/http_text.h"
#include "data/hub.h"
#include "data/shallow_json.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListFile = ".ridgeline-fetch.json";
constexpr Bytes kLongestListing{64.0 * 1024 * 1024};

struct KeptList {
  std::string source;
  std::string revision;
  std::string listing;
};

std::string written(const KeptList& list) {
  const nlohmann::json kept{{"source", list.source},
                            {"revision", list.revision},
                            {"listing", parse_shallow_json(list.listing, list.source)}};
  return kept.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Absent when there is none; Error(Io) when it cannot be read as one.
std::optional<KeptList> read_list(const fs::path& folder) {
  const fs::path path = folder / kListFile;
  std::error_code code;
  if (!fs::exists(path, code)) return std::nullopt;
  try {
    const auto kept = parse_shallow_json(read_file(path, kLongestListing),
                                         fmt::format("'{}'", printable(path.string())));
    return KeptList{.source = kept.at("source").get<std::string>(),
                    .revision = kept.at("revision").get<std::string>(),
                    .listing = kept.at("listing").dump()};
  } catch (const nlohmann::json::exception& error) {
    throw Error(Fault::Io, fmt::format("'{}': {}", path.string(), error.what()));
  }
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void refuse_hub_flags(std::string_view source, const FetchOptions& options) {
  if (options.revision != "main" || !options.include.empty() || !options.exclude.empty()) {
    throw bad_input(
        fmt::format("--revision, --include and --exclude are for hf: sources, not {}", source));
  }
}

}  // namespace

FetchPlan plan_fetch(std::string_view source, const FetchOptions& options) {
  if (!is_hub_source(source)) {
    refuse_hub_flags(source, options);
    return plan_fixed(source, options);
  }
  if (!options.layout.empty()) throw bad_input("--layout is for cifar10");
  const HubRepository repository = parse_hub_source(source);
  const HttpRequest request{.url = listing_url(repository, options),
                            .bearer_token = token_for(options)};
  const std::string listing = http_text({.request = request, .limit = kLongestListing});
  FetchPlan plan = plan_from_listing(repository, listing, options);
  plan.list_file = options.to / kListFile;
  plan.list = written({std::string(source), options.revision, listing});
  return plan;
}

std::optional<FetchPlan> plan_offline(std::string_view source, const FetchOptions& options) {
  if (!is_hub_source(source)) {
    refuse_hub_flags(source, options);
    return plan_fixed(source, options);
  }
  const HubRepository repository = parse_hub_source(source);
  const auto list = read_list(options.to);
  if (!list || list->source != source || list->revision != options.revision) return std::nullopt;
  return plan_from_listing(repository, list->listing, options);
}

FetchState inspect(const FetchItem& item) {
  if (!is_downloaded(item.request)) return {};
  return {.kind = FetchState::Kind::There, .bytes = fs::file_size(item.request.to)};
}

void carry_out(const FetchPlan& plan, const FetchEvents& events, const DownloadOptions& options) {
  if (!plan.list.empty()) write_file_atomically(plan.list_file, plan.list);
  for (const FetchItem& item : plan.items) {
    DownloadOptions with_progress = options;
    if (events.progress) {
      with_progress.progress = [&](std::uint64_t done, std::optional<std::uint64_t> total) {
        events.progress(item, done, total);
      };
    }
    const auto start = std::chrono::steady_clock::now();
    const DownloadResult result = download(item.request, with_progress);
    if (!events.done) continue;
    events.done(item,
                {.kind = result.was_there ? FetchState::Kind::There : FetchState::Kind::Fetched,
                 .bytes = result.bytes,
                 .resumed_from = result.resumed_from,
                 .time = std::chrono::steady_clock::now() - start});
  }
}

FetchOptions with_hub_environment(FetchOptions options) {
  if (const std::string endpoint = environment("HF_ENDPOINT"); !endpoint.empty())
    options.hub_endpoint = endpoint;
  options.hub_token = environment("HF_TOKEN");
  // A token pasted with its line end is the token all the same.
  options.hub_token.erase(options.hub_token.find_last_not_of(" \t\r\n") + 1);
  return options;
}

}  // namespace ridgeline
