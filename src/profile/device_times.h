#pragma once

#include "profile/records.h"

namespace ridgeline {

// Gives every device record's time to the op that launched it (device_self of its total) and to the
// frames around that op (device_total). Returns the time of records whose op is not known: it was
// launched by none, or its record fell behind the trace's limit.
Nanoseconds attribute_device_times(Recording& recording);

}  // namespace ridgeline
