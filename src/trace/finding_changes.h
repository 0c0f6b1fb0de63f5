#pragma once

#include <string>
#include <vector>

#include "trace/profile_facts.h"

namespace ridgeline {

// A finding that two recordings do not share; empty where it is not said.
struct FindingChange {
  std::string id{};
  std::string before{};
  std::string after{};
};

// Those that appeared, vanished, or say something else than other numbers. In the rules' order.
[[nodiscard]] std::vector<FindingChange> finding_changes(const ProfileFacts& before,
                                                         const ProfileFacts& after);

}  // namespace ridgeline
