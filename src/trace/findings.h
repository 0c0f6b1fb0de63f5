#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/profile_facts.h"

namespace ridgeline {

// A sentence with its numbers. The id stays the same from version to version.
struct Finding {
  std::string_view id{};
  std::string text{};
};

// Absent when the facts are missing or do not call for it.
struct Rule {
  std::string_view id;
  std::optional<std::string> (*says)(const ProfileFacts& facts);
};

// All there are, in the order in which they are told.
[[nodiscard]] std::span<const Rule> finding_rules();
[[nodiscard]] std::vector<Finding> findings_of(const ProfileFacts& facts);

// Something that could be changed, and the most it could win.
struct Target {
  std::string_view lever{};
  std::string text{};
  double gain = 0;         // of the step's time, 0 to 1: an upper bound
  double memory_gain = 0;  // of the peak
};

// The levers that apply here, the most promising first.
[[nodiscard]] std::vector<Target> targets_of(const ProfileFacts& facts);

// The findings as lines, then "Top 3 optimization targets" as the workflow names them.
[[nodiscard]] std::string findings_text(const ProfileFacts& facts);

}  // namespace ridgeline
