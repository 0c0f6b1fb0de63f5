#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile_document.h"

namespace ridgeline {

struct WrittenFiles {
  std::vector<std::filesystem::path> files{};
  std::vector<std::string> problems{};  // "memory.png: skipped, gnuplot is not installed"
  std::vector<std::string> lost{};      // "cannot write 'prof/trace.json.gz': No space left …"
};

// A file that cannot be written costs itself alone: why, in `lost`, in place of an Error(Io).
void write_or_note(std::vector<std::string>& lost, const std::function<void()>& write);

// Every file of a profile, into its folder: its traces, ops.csv, modules.csv, stacks.txt,
// flamegraph.svg, speedscope.json, profile.json, findings.txt, its page; of a device kernels.csv,
// copies.csv and gaps.csv; of memory memory.json, memory.png, memory.svg. All that fit: the small
// ones come first, and those that can be had from others last.
WrittenFiles write_profile(const std::filesystem::path& folder, const ProfileDocument& profile);

// What is printed: tables, memory, cost, what is lacking, findings.
[[nodiscard]] std::string profile_text(const ProfileDocument& profile);

}  // namespace ridgeline
