#pragma once

#include <functional>
#include <optional>

#include "engine/workload.h"
#include "profile/device_counters.h"

namespace ridgeline {

// Repeats one step of the workload until the counters have made all their passes, each from the
// same state; the workload is left as it was, also when a pass fails. Throws Error(Device) when
// they want many more passes than were planned. Absent when `interrupted` said so.
[[nodiscard]] std::optional<CounterReadings> count_step(Workload& workload,
                                                        DeviceCounters& counters,
                                                        const std::function<bool()>& interrupted);

}  // namespace ridgeline
