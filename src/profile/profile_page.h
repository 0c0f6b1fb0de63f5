#pragma once

#include <string>
#include <vector>

#include "profile/module_table.h"
#include "profile/op_table.h"
#include "report/html.h"

namespace ridgeline {

struct ProfilePage {
  std::string title{};
  std::string findings{};       // lines
  std::string cost{};           // a sentence; empty when it was not measured
  std::string flames{};         // an SVG
  std::vector<Section> more{};  // after the modules
};

// A profile as a page: findings, flame graph, ops, modules, more, cost.
[[nodiscard]] Page profile_page(const ProfilePage& profile, const OpTable& ops,
                                const ModuleTable& modules);

}  // namespace ridgeline
