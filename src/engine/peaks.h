#pragma once

#include "core/units.h"
#include "engine/backend.h"
#include "engine/settings.h"

namespace ridgeline {

// The best rate of a large square matrix product on random data (zeros run faster than any real
// work), and of a large copy counting bytes read and written.
[[nodiscard]] FlopPerSecond measure_matmul_peak(const RunSettings& settings, Backend& backend);
[[nodiscard]] BytesPerSecond measure_copy_peak(const RunSettings& settings, Backend& backend);

using MeasurePeak = double (*)(const RunSettings&, Backend&);
inline constexpr const char* kMatmulPeakSymbol = "ridgeline_matmul_peak";
inline constexpr const char* kCopyPeakSymbol = "ridgeline_copy_peak";

}  // namespace ridgeline
