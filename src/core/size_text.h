#pragma once

#include <string_view>

#include "core/units.h"

namespace ridgeline {

// "200MB", "64KiB", "1.5GB"; a bare number is bytes. Error(BadInput) that names `flag` unless above
// zero.
[[nodiscard]] Bytes parse_size(std::string_view flag, std::string_view text);

}  // namespace ridgeline
