#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "roofline/ncu_report.h"

namespace ridgeline {

// ncu's own lines, "==ERROR== ...": kept when they are errors or warnings, the first few of each.
void keep_ncu_message(std::string_view line, std::vector<std::string>& messages);
void keep_ncu_messages(std::string_view text, std::vector<std::string>& messages);

// Why a file holds nothing, in one line: what ncu itself said, where it said something, and what to
// do about it.
[[nodiscard]] Error no_ncu_table(std::string_view text, const std::string& source);
[[nodiscard]] Error no_ncu_kernels(const NcuNotes& notes, const std::string& source);

// "train_step/forward" of ncu's column of push/pop ranges.
[[nodiscard]] std::string ncu_range_path(std::string_view cell);

}  // namespace ridgeline
