#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "profile/memory_timeline.h"

namespace ridgeline {

struct MemoryFiles {
  std::vector<std::filesystem::path> files{};
  std::vector<std::string> problems{};  // "memory.png: skipped, gnuplot is not installed"
};

// memory.json, memory.png and memory.svg.
MemoryFiles write_memory(const std::filesystem::path& folder, const MemoryTimeline& timeline,
                         const std::string& title);

}  // namespace ridgeline
