#pragma once

#include <optional>
#include <string>

#include "core/units.h"
#include "engine/engine.h"
#include "engine/settings.h"

namespace ridgeline {

// The dtype whose matrix peak bounds a row: what its products run in.
[[nodiscard]] std::string_view peak_dtype(Precision precision);

// From the cache, else measured now (a second or two) and cached. Absent when it cannot be
// measured.
[[nodiscard]] std::optional<FlopPerSecond> matmul_peak(const Engine& engine,
                                                       const RunSettings& settings);
[[nodiscard]] std::optional<BytesPerSecond> copy_peak(const Engine& engine,
                                                      const RunSettings& settings);

}  // namespace ridgeline
