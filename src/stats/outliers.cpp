#include "stats/outliers.h"

#include "stats/order.h"

namespace ridgeline {
namespace {

constexpr std::size_t kMinSamples = 4;
constexpr double kMildFence = 1.5;
constexpr double kSevereFence = 3.0;

struct Quartiles {
  Seconds lower, upper;

  [[nodiscard]] TukeyLabel label(Seconds time) const {
    const Seconds range = upper - lower;
    if (time < lower - kSevereFence * range) return TukeyLabel::SevereLow;
    if (time < lower - kMildFence * range) return TukeyLabel::MildLow;
    if (time > upper + kSevereFence * range) return TukeyLabel::SevereHigh;
    if (time > upper + kMildFence * range) return TukeyLabel::MildHigh;
    return TukeyLabel::Inside;
  }
};

}  // namespace

Outliers label_outliers(std::span<const Seconds> times) {
  const auto ascending = sorted(times);
  Outliers found{.labels = std::vector(times.size(), TukeyLabel::Inside)};
  if (times.size() < kMinSamples) return found;
  const Quartiles quartiles{.lower = quantile_of_sorted(ascending, 0.25),
                            .upper = quantile_of_sorted(ascending, 0.75)};
  for (std::size_t i = 0; i < times.size(); ++i) {
    found.labels[i] = quartiles.label(times[i]);
    switch (found.labels[i]) {
      case TukeyLabel::SevereLow:
        ++found.severe_low;
        break;
      case TukeyLabel::MildLow:
        ++found.mild_low;
        break;
      case TukeyLabel::Inside:
        break;
      case TukeyLabel::MildHigh:
        ++found.mild_high;
        break;
      case TukeyLabel::SevereHigh:
        ++found.severe_high;
        break;
    }
  }
  return found;
}

}  // namespace ridgeline
