#pragma once

#include <string>
#include <vector>

#include "profile/profile_tables.h"
#include "report/html.h"

namespace ridgeline {

struct ProfilePage {
  std::string title{};
  std::string findings{};       // lines
  std::string cost{};           // a sentence; empty when it was not measured
  std::string flames{};         // an SVG
  std::vector<Section> more{};  // after the modules
};

// A profile as a page: findings, flame graph, ops, kernels, modules, more, cost.
[[nodiscard]] Page profile_page(const ProfilePage& profile, const ProfileTables& tables);

}  // namespace ridgeline
