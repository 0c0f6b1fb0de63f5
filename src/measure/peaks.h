#pragma once

#include <optional>

#include "core/units.h"
#include "engine/engine.h"
#include "engine/settings.h"

namespace ridgeline {

// Of measured_peaks() (measure/ceilings.h), each alone: from the cache, else measured now (a
// second, on a GPU a few). Absent when it cannot be measured.
[[nodiscard]] std::optional<FlopPerSecond> matmul_peak(const Engine& engine,
                                                       const RunSettings& settings);
[[nodiscard]] std::optional<BytesPerSecond> copy_peak(const Engine& engine,
                                                      const RunSettings& settings);

}  // namespace ridgeline
