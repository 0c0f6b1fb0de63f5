#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/fetch_plan.h"

namespace ridgeline {

// How one file of a plan stands.
struct FetchState {
  enum class Kind { Missing, There, Fetched };
  Kind kind = Kind::Missing;
  std::uint64_t bytes = 0;
  std::uint64_t resumed_from = 0;
  Seconds time{};
};

// Called as a plan is carried out; both may be empty.
struct FetchEvents {
  std::function<void(const FetchItem&, std::uint64_t done, std::optional<std::uint64_t> total)>
      progress{};
  std::function<void(const FetchItem&, const FetchState&)> done{};
};

// What a source consists of: from the table of known files, or from the Hub, which is asked.
// Nothing is written. Throws Error, see plan_fixed() and plan_from_listing().
[[nodiscard]] FetchPlan plan_fetch(std::string_view source, const FetchOptions& options);

// The same without the network: from the list that an earlier fetch left in the folder. Absent when
// there is none for this source and revision.
[[nodiscard]] std::optional<FetchPlan> plan_offline(std::string_view source,
                                                    const FetchOptions& options);

// Checks size and sum of what is there; fetches nothing.
[[nodiscard]] FetchState inspect(const FetchItem& item);

// Brings what is missing, in order; stops at the first failure with Error(Io).
void carry_out(const FetchPlan& plan, const FetchEvents& events,
               const DownloadOptions& options = {});

// The Hub's settings as its own tools read them: HF_ENDPOINT, HF_TOKEN.
[[nodiscard]] FetchOptions with_hub_environment(FetchOptions options);

}  // namespace ridgeline
