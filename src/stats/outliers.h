#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.h"

namespace ridgeline {

enum class TukeyLabel { SevereLow, MildLow, Inside, MildHigh, SevereHigh };

// Labels only: an outlier is a fact about the machine, so no sample is dropped for having one.
struct Outliers {
  std::vector<TukeyLabel> labels{};  // one a sample, in the order of the samples
  std::size_t severe_low{};
  std::size_t mild_low{};
  std::size_t mild_high{};
  std::size_t severe_high{};

  [[nodiscard]] std::size_t count() const {
    return severe_low + mild_low + mild_high + severe_high;
  }
};

// Tukey's fences: mild beyond 1.5 interquartile ranges from the quartiles, severe beyond 3. Under
// four samples the quartiles say nothing and all are Inside.
[[nodiscard]] Outliers label_outliers(std::span<const Seconds> times);

}  // namespace ridgeline
