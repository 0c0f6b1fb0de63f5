#pragma once

#include "profile/observer.h"

namespace at {
class RecordFunctionCallback;
}

namespace ridgeline {

// What torch is to call as an op begins and as it ends: makes frames of the active recording.
[[nodiscard]] at::RecordFunctionCallback op_callback(const ObserverOptions& options);

}  // namespace ridgeline
