#pragma once

#include "profile/records.h"

namespace ridgeline {

// The recording without what began at `end` or later: a program that ends in the middle of a step
// leaves a part of one, which would spoil the averages. Totals are added up anew from the records;
// where some lack a record (beyond the trace's limit) that cannot be done, and all stays as it is.
[[nodiscard]] Recording whole_steps(Recording recording, Nanoseconds end);

}  // namespace ridgeline
