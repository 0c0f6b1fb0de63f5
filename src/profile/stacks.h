#pragma once

#include <filesystem>
#include <string_view>

#include "profile/records.h"

namespace ridgeline {

// Where the time of the recorded frames went, a line a stack: "a;b;c 123", microseconds of self
// time, rounded; flame-graph tools read it. Sorted, so that two runs can be compared.
void write_folded_stacks(const std::filesystem::path& path, const Recording& recording);

// The same frames in time, a profile a thread, for speedscope.app.
void write_speedscope(const std::filesystem::path& path, const Recording& recording,
                      std::string_view title);

}  // namespace ridgeline
