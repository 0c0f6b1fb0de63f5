#pragma once

#include <optional>

#include "core/units.h"

namespace ridgeline {

// Whether an answer of this status may be another one in a moment.
[[nodiscard]] bool may_pass(long status);

// Before attempt 1, 2, ... after the first: `first`, twice that, ..., or what the server asked for
// where that is longer; never more than a minute. Returns at once when interrupted().
void wait_before_retry(int attempt, Seconds first, std::optional<Seconds> asked);

}  // namespace ridgeline
