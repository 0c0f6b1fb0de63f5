#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/records.h"
#include "report/flame_graph.h"

namespace ridgeline {

// A frame's name in a folded line holds neither the separator nor a line break.
[[nodiscard]] std::string folded_name(std::string name);

// Where the time of the recorded frames went: "a;b;c" and microseconds of self time, rounded.
// Sorted, so that two runs can be compared.
[[nodiscard]] std::vector<FoldedStack> folded_stacks(const Recording& recording);
// A line a stack, as flame-graph tools read it.
void write_folded_stacks(const std::filesystem::path& path, std::span<const FoldedStack> stacks);

// The same frames in time, a profile a thread, for speedscope.app.
void write_speedscope(const std::filesystem::path& path, const Recording& recording,
                      std::string_view title);

}  // namespace ridgeline
