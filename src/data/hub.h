#pragma once

#include <string>
#include <string_view>

#include "data/fetch_plan.h"

namespace ridgeline {

// A repository of the Hugging Face Hub.
struct HubRepository {
  enum class Kind { Model, DataSet };
  Kind kind = Kind::Model;
  std::string name{};  // "OWNER/NAME", or "NAME" for a few old ones
};

[[nodiscard]] bool is_hub_source(std::string_view source);
// "hf:OWNER/NAME" or "hf:datasets/OWNER/NAME". Throws Error(BadInput) for another form.
[[nodiscard]] HubRepository parse_hub_source(std::string_view source);

// Where the Hub lists the files of a revision.
[[nodiscard]] std::string listing_url(const HubRepository& repository, const FetchOptions& options);

// The token, when requests go to the endpoint it is meant for; empty when --url leads elsewhere.
[[nodiscard]] std::string token_for(const FetchOptions& options);

// The plan from that listing, as JSON: files that --include and --exclude leave, with the sizes and
// sums it gives, at the commit it names (a branch may move while we load). Throws Error(Io) for a
// listing that is malformed or names a file outside the folder, or one to be fetched that cannot be
// kept under its name; Error(BadInput) when the globs leave nothing.
[[nodiscard]] FetchPlan plan_from_listing(const HubRepository& repository, std::string_view listing,
                                          const FetchOptions& options);

// Whether `name` stays below the folder it is joined to, on every path of it, and is free to be
// used there.
[[nodiscard]] bool is_file_name(std::string_view name);

}  // namespace ridgeline
