#pragma once

#include <functional>
#include <span>
#include <thread>

#include "core/units.h"

namespace ridgeline {

// Runs work(i) on a thread for each of `cores`, kept on that core, all begun together; the time
// from the first one's begin to the last one's end. A core that may not be chosen leaves its thread
// where the system puts it.
// Throws Error(Device) when not all threads can be started; none has worked then.
// `start` makes a thread of what it is given; empty: as the system does.
using StartThread = std::function<std::jthread(std::function<void()>)>;
[[nodiscard]] Seconds run_together(std::span<const int> cores,
                                   const std::function<void(std::size_t)>& work,
                                   const StartThread& start = {});

}  // namespace ridgeline
