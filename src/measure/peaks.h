#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/units.h"
#include "engine/engine.h"
#include "engine/settings.h"
#include "roofline/peak.h"

namespace ridgeline {

// A peak that a step may be judged by, or why there is none: "the interval of the fp32 peak is 34 %
// wide".
template <class Rate>
struct FoundPeak {
  std::optional<Rate> rate{};
  std::string why_absent{};
};

// What a step of these settings is judged by, of what was measured: of a GPU the matrix product; of
// a CPU its plain FMA where that does more: libraries differ, and the convolutions of one surpass
// the products of another.
[[nodiscard]] std::optional<MeasuredPeak> peak_for(std::span<const MeasuredPeak> peaks,
                                                   const RunSettings& settings);

// That one, and what a copy reaches (measure/ceilings.h): from the cache, else measured now (a
// second, on a GPU a few).
[[nodiscard]] FoundPeak<FlopPerSecond> compute_peak(const Engine& engine,
                                                    const RunSettings& settings);
[[nodiscard]] FoundPeak<BytesPerSecond> copy_peak(const Engine& engine,
                                                  const RunSettings& settings);

// The largest among `peaks` of what the product of that name is computed with, on its threads.
// Absent without the product.
[[nodiscard]] std::optional<MeasuredPeak> best_like(std::span<const MeasuredPeak> peaks,
                                                    std::string_view product);
// Why nothing may be judged by a peak, as it would not be kept either; empty where it may.
[[nodiscard]] std::string why_unfit(const MeasuredPeak& peak);

}  // namespace ridgeline
