#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

// Kernels of one stream may overlap: a launch that depends on the one before by program starts
// while that ends (cuDNN's and cuBLAS's do). Viewers nest what lies on one track and drop what only
// overlaps, so such a kernel stands on a lane beside its stream's track.

// The lane of each record, by start: 0 is the stream's own track, where nothing overlaps.
[[nodiscard]] std::vector<std::uint32_t> stream_lanes(const std::vector<DeviceRecord>& device);

// A lane as a trace numbers and names its track.
[[nodiscard]] std::uint64_t track_of_lane(std::uint32_t stream, std::uint32_t lane);
[[nodiscard]] std::string name_of_lane(std::uint32_t stream, std::uint32_t lane);

}  // namespace ridgeline
