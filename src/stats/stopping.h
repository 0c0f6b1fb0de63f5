#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "core/units.h"
#include "stats/summary.h"

namespace ridgeline {

// Why sampling ended; stands beside the result, since "the budget ran out" and "precise enough" are
// different claims.
enum class StopReason { Count, Precision, Budget };

struct ExactCount {
  std::size_t samples{};
};

// At least `min_samples`, then until the interval of the median is within the target or the budget
// is spent. The minimum outranks the budget: a slow step still gets its samples.
struct UntilPrecise {
  std::size_t min_samples = 10;
  double target_fraction = 0.01;
  Seconds budget{20};
};

using StoppingRule = std::variant<ExactCount, UntilPrecise>;

// True when neither end of the median's interval is further than the fraction from the median.
[[nodiscard]] bool precise_enough(const Summary& summary, double target_fraction);

// Absent: go on. Ask after every sample; `elapsed` is the time since sampling began. The precision
// is looked at when the minimum is reached, then four times in each doubling of the count: that
// keeps a long run's looks under a microsecond a step, and keeps it from stopping early by luck at
// one of very many.
[[nodiscard]] std::optional<StopReason> reason_to_stop(const StoppingRule& rule,
                                                       std::span<const Seconds> times,
                                                       Seconds elapsed);

}  // namespace ridgeline
