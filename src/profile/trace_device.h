#pragma once

#include "profile/trace_events.h"

namespace ridgeline {

// What a device did, on its own tracks: their names, before other events.
void name_device_tracks(TraceEvents& events);
// Kernels, copies and sets with the calls that launched them, the ranges of the host over the work
// that was launched in them, and the host's waits for it.
void write_device_events(TraceEvents& events);

}  // namespace ridgeline
