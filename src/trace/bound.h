#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/profile_facts.h"

namespace ridgeline {

enum class Bound { Data, Communication, Launch, Queue, Compute, Memory, Neither, Device };
struct BoundVerdict {
  Bound bound = Bound::Neither;
  std::string evidence{};
};
[[nodiscard]] std::string_view name_of(Bound bound);
// Absent when too little was recorded to tell.
[[nodiscard]] std::optional<BoundVerdict> bound_of(const ProfileFacts& facts);

// Model FLOP/s over the measured peak; absent without either, and where the peak is surpassed.
[[nodiscard]] std::optional<double> mfu_of(const ProfileFacts& facts);

// Whether the step reaches more than the peak: whatever the reason, nothing may be judged by it.
[[nodiscard]] bool surpasses_peak(const ProfileFacts& facts);

}  // namespace ridgeline
