#pragma once

#include <functional>

namespace ridgeline {

// Runs `work`; torch's exceptions become ours here: Error(Memory) when the device or the host has
// no room, Error(Device) with the first line of torch's message otherwise.
void translating_errors(const std::function<void()>& work);

}  // namespace ridgeline
