#pragma once

#include <string>
#include <vector>

#include "profile/profile_steps.h"
#include "profile/profile_tables.h"
#include "profile/trace_writer.h"
#include "trace/profile_facts.h"

namespace ridgeline {

// A profile that is over, with all that is told of it: what the files and the text are made from,
// whoever recorded it (`profile`, `train`, a program of somebody else's).
struct ProfileDocument {
  std::string title{};
  ProfileResult result{};
  ProfileTables tables{};
  ProfileView view{};
  ProfileFacts facts{};
  std::string remarks{};  // after the findings; whole lines
  TraceFacts trace{};
  std::vector<std::string> traces{"trace.json.gz"};  // the files that hold it
  std::string page = "report.html";
};

// Findings, targets and remarks; empty when no step was recorded.
[[nodiscard]] std::string closing_lines(const ProfileDocument& profile);

}  // namespace ridgeline
