#pragma once

#include "profile/records.h"

namespace ridgeline::testing {

// Two steps of a model with two modules, forward, backward and optimizer, made through the recorder
// on a clock that the function moves; with `device` also a kernel and a copy.
enum class WithDevice { No, Yes };
[[nodiscard]] Recording sample_recording(WithDevice device);

// The same where the device's work was recorded in steps of its own, which begin so much later.
[[nodiscard]] Recording sample_recording_apart();
inline constexpr Nanoseconds kSampleApart = 1'000'000;

// Its first nanosecond.
inline constexpr Nanoseconds kSampleStart = 1'000'000;

}  // namespace ridgeline::testing
