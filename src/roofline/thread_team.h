#pragma once

#include <functional>
#include <span>

#include "core/units.h"

namespace ridgeline {

// Runs work(i) on a thread for each of `cores`, kept on that core, all begun together; the time
// from the first one's begin to the last one's end. A core that may not be chosen leaves its thread
// where the system puts it.
[[nodiscard]] Seconds run_together(std::span<const int> cores,
                                   const std::function<void(std::size_t)>& work);

}  // namespace ridgeline
