#include "data/hub.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include "core/curl.h"
#include "core/display.h"
#include "core/error.h"
#include "core/utf8.h"
#include "data/shallow_json.h"

namespace ridgeline {
namespace {

constexpr std::string_view kPrefix = "hf:";
constexpr std::string_view kDataSets = "datasets/";
constexpr const char* kListing = "the Hub's list of files";
constexpr std::size_t kLongestName = 1024;
constexpr std::size_t kMostFiles = 100000;

bool is_unreserved(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.' ||
         letter == '~';
}

std::string percent_encoded(std::string_view text, bool keep_slashes) {
  std::string encoded;
  for (const char letter : text) {
    if (is_unreserved(letter) || (keep_slashes && letter == '/')) {
      encoded += letter;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(letter));
    }
  }
  return encoded;
}

bool is_name_part(std::string_view part) {
  return !part.empty() && part.size() <= 96 && part != "." && part != ".." &&
         std::ranges::all_of(part,
                             [](char letter) { return letter != '~' && is_unreserved(letter); });
}

std::string endpoint_of(const FetchOptions& options) {
  std::string endpoint = options.url.empty() ? options.hub_endpoint : options.url;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

bool any_matches(const std::vector<std::string>& globs, const std::string& name) {
  return std::ranges::any_of(globs, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

bool is_wanted(const std::string& name, const FetchOptions& options) {
  return (options.include.empty() || any_matches(options.include, name)) &&
         !any_matches(options.exclude, name);
}

bool is_commit(std::string_view text) {
  return text.size() == 40 && std::ranges::all_of(text, [](char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
         });
}

Error bad_listing(const std::string& why) {
  return {Fault::Io, fmt::format("{}: {}", kListing, printable(why))};
}

// Large files carry size and sum in "lfs"; small ones only a size.
void add_facts(const nlohmann::json& entry, DownloadRequest& request) {
  const auto size_in = [](const nlohmann::json& object) -> std::optional<std::uint64_t> {
    const auto found = object.find("size");
    if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint64_t>();
  };
  request.size = size_in(entry);
  const auto lfs = entry.find("lfs");
  if (lfs == entry.end() || !lfs->is_object()) return;
  if (const auto size = size_in(*lfs)) request.size = size;
  const auto sum = lfs->find("sha256");
  if (sum == lfs->end() || !sum->is_string()) return;
  const auto hex = sum->get<std::string>();
  if (hex.size() != 64) throw bad_listing(fmt::format("'{}' is no sha256", hex));
  request.checksum = Checksum{.kind = Checksum::Kind::Sha256, .hex = hex};
}

// Every part between slashes, as long as `fits` says yes.
template <class Fits>
bool all_parts(std::string_view name, const Fits& fits) {
  while (true) {
    const auto slash = name.find('/');
    if (!fits(name.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

bool stays_below(std::string_view name) {
  // A backslash is a separator elsewhere; control characters have no place in a name.
  const auto strange = [](char letter) {
    return letter == '\\' || letter == '\x7f' || static_cast<unsigned char>(letter) < 0x20;
  };
  return !name.starts_with('/') && std::ranges::none_of(name, strange) &&
         with_valid_utf8(name) == name &&
         all_parts(name, [](std::string_view part) { return part != "." && part != ".."; });
}

// Why a file of a name that does no harm cannot be kept under it; empty when it can.
std::string_view obstacle(std::string_view name) {
  if (name.size() > kLongestName) return "which is too long";
  if (!all_parts(name, [](std::string_view part) { return !part.empty(); }))
    return "which has an empty part";
  const auto is_free = [](std::string_view part) {
    return !part.ends_with(".part") && !part.ends_with(".part.from") &&
           part != ".ridgeline-fetch.json";
  };
  return all_parts(name, is_free) ? "" : "which downloads under way go by";
}

// A list that tries to leave the folder is not trusted, whatever of it is wanted.
std::string name_of(const nlohmann::json& entry) {
  const auto name = entry.find("rfilename");
  if (name == entry.end() || !name->is_string()) throw bad_listing("a file without a name");
  const auto& text = name->get_ref<const std::string&>();
  if (!stays_below(text))
    throw bad_listing(fmt::format("refused the file name '{}', which leaves the folder", text));
  return text;
}

FetchItem item_of(const nlohmann::json& entry, const std::string& name, const std::string& resolve,
                  const FetchOptions& options) {
  if (const std::string_view why = obstacle(name); !why.empty())
    throw bad_listing(
        fmt::format("refused the file name '{}', {}; --exclude leaves it out", name, why));
  FetchItem item{.name = name,
                 .request = {.url = resolve + percent_encoded(name, /*keep_slashes=*/true),
                             .to = options.to / name}};
  item.request.bearer_token = token_for(options);
  add_facts(entry, item.request);
  return item;
}

}  // namespace

bool is_hub_source(std::string_view source) { return source.starts_with(kPrefix); }

HubRepository parse_hub_source(std::string_view source) {
  HubRepository repository;
  std::string_view name = source.substr(kPrefix.size());
  if (name.starts_with(kDataSets)) {
    repository.kind = HubRepository::Kind::DataSet;
    name.remove_prefix(kDataSets.size());
  }
  const auto slash = name.find('/');
  const bool fine = slash == std::string_view::npos ? is_name_part(name)
                                                    : is_name_part(name.substr(0, slash)) &&
                                                          is_name_part(name.substr(slash + 1));
  if (!fine) {
    throw bad_input(fmt::format(
        "'{}' names no repository; write hf:OWNER/NAME or hf:datasets/OWNER/NAME", source));
  }
  repository.name = name;
  return repository;
}

std::string listing_url(const HubRepository& repository, const FetchOptions& options) {
  return fmt::format("{}/api/{}/{}/revision/{}?blobs=true", endpoint_of(options),
                     repository.kind == HubRepository::Kind::Model ? "models" : "datasets",
                     repository.name, percent_encoded(options.revision, /*keep_slashes=*/false));
}

std::string token_for(const FetchOptions& options) {
  if (options.url.empty() || options.hub_token.empty()) return options.hub_token;
  const auto asked = origin_of(options.url);
  return asked && asked == origin_of(options.hub_endpoint) ? options.hub_token : "";
}

FetchPlan plan_from_listing(const HubRepository& repository, std::string_view listing,
                            const FetchOptions& options) {
  const nlohmann::json answer = parse_shallow_json(listing, kListing);
  const auto files = answer.is_object() ? answer.find("siblings") : answer.end();
  if (!answer.is_object() || files == answer.end() || !files->is_array())
    throw bad_listing("no 'siblings' in it");
  if (files->size() > kMostFiles) throw bad_listing(fmt::format("{} files", files->size()));
  const auto commit = answer.find("sha");
  const bool has_commit = commit != answer.end() && commit->is_string() &&
                          is_commit(commit->get_ref<const std::string&>());
  const std::string revision = has_commit ? commit->get<std::string>() : options.revision;
  const bool model = repository.kind == HubRepository::Kind::Model;
  const std::string resolve =
      fmt::format("{}/{}{}/resolve/{}/", endpoint_of(options), model ? "" : kDataSets,
                  repository.name, percent_encoded(revision, /*keep_slashes=*/false));
  FetchPlan plan{.what = fmt::format("{} {} at {}", model ? "model" : "data set", repository.name,
                                     printable(revision))};
  std::set<std::string> seen;
  for (const auto& entry : *files) {
    const std::string name = name_of(entry);
    if (!seen.insert(name).second) throw bad_listing(fmt::format("'{}' is in it twice", name));
    if (is_wanted(name, options)) plan.items.push_back(item_of(entry, name, resolve, options));
  }
  if (plan.items.empty()) {
    throw bad_input(fmt::format("none of the {} files of {} is left by --include and --exclude",
                                files->size(), repository.name));
  }
  return plan;
}

bool is_file_name(std::string_view name) { return stays_below(name) && obstacle(name).empty(); }

}  // namespace ridgeline
