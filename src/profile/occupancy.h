#pragma once

#include <cstdint>
#include <optional>

#include "profile/records.h"

namespace ridgeline {

struct GpuShape {
  int compute_major{};
  int compute_minor{};
  int multiprocessors{};
  bool operator==(const GpuShape&) const = default;
};

// How much of a multiprocessor's places for warps a launch can fill, 0 to 1: as many blocks as
// registers, shared memory and the GPU's limits let live there at once, and no more than the grid
// has for each. An estimate, as PyTorch's profiler makes it: what ran beside is not known. Absent
// for a GPU whose limits are not in our table, and for work that is no kernel.
[[nodiscard]] std::optional<double> estimated_occupancy(const DeviceRecord& kernel,
                                                        const GpuShape& gpu);

// How often the grid's blocks fill all that can live on the device at once, as ncu's
// launch__waves_per_multiprocessor has it: below 1 there is room left. Absent as above, and where
// not one block fits.
[[nodiscard]] std::optional<double> estimated_waves(const DeviceRecord& kernel,
                                                    const GpuShape& gpu);

}  // namespace ridgeline
