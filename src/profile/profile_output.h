#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/profile_document.h"

namespace ridgeline {

struct WrittenFiles {
  std::vector<std::filesystem::path> files{};
  std::vector<std::string> problems{};  // "memory.png: skipped, gnuplot is not installed"
};

// Every file of a profile, into its folder: its traces, ops.csv, modules.csv, stacks.txt,
// flamegraph.svg, speedscope.json, profile.json, findings.txt, its page; of a device kernels.csv,
// copies.csv and gaps.csv; of memory memory.json, memory.png, memory.svg.
WrittenFiles write_profile(const std::filesystem::path& folder, const ProfileDocument& profile);

// What is printed: tables, memory, cost, what is lacking, findings.
[[nodiscard]] std::string profile_text(const ProfileDocument& profile);

}  // namespace ridgeline
