#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/units.h"
#include "stats/abba.h"
#include "stats/interval.h"

namespace ridgeline {

// The fewest with which an effect of 3 % is found in 95 of 100 experiments on every machine that
// bench/stats/verdict_simulation.cpp simulates, a third of the time in bursts included, while the
// interval alone stays under 5 % false alarms on each. More rounds do not always mean fewer of
// those: ranks are whole, so the interval's coverage falls and jumps (40 rounds: 5.7 % in bursts).
// An effect just at the threshold is a coin's toss however many the rounds: half of the estimates
// fall short of it.
inline constexpr std::size_t kDefaultRounds = 36;

struct AbOptions {
  double confidence = kDefaultConfidence;  // for the table as a whole
  double threshold = 0.01;                 // effects smaller than this do not matter
  std::size_t comparisons = 1;             // verdicts in the table: Bonferroni's divisor
};

struct RatioInterval {
  double low{};
  double high{};
  double confidence{};  // of this one comparison, Bonferroni's correction included
};

// About B relative to A. `speedup` is A's time over B's: above 1, B is the faster.
struct Verdict {
  enum class Kind {
    Faster,        // interval above 1, and the effect reaches the threshold
    Slower,        // interval below 1, and the effect reaches the threshold
    Equivalent,    // interval within the threshold of 1, either way
    Inconclusive,  // none of these
  };
  Kind kind = Kind::Inconclusive;
  double speedup = 1;
  std::optional<RatioInterval> interval{};  // absent when the rounds are too few for any
  std::size_t rounds{};
  double threshold{};
  // What follows stands only beside Inconclusive.
  // The smallest effect that so many rounds on this machine find nine times in ten, 0.03 for 3 %.
  std::optional<double> detectable_effect{};
  // Estimate of the rounds to add until one of the other verdicts; even, for ABBA blocks. Absent
  // when it exceeds kMaxUsefulRounds: the effect is then too near the threshold to tell.
  std::optional<std::size_t> rounds_still_needed{};
};

[[nodiscard]] std::string_view name_of(Verdict::Kind kind);  // "faster"

inline constexpr std::size_t kMaxUsefulRounds = 10'000;

// Element i of either span is the median of that arm's epoch in round i; the two epochs of a round
// run one after the other (see abba_order). The interval is the exact sign-test interval of the
// median log ratio: pairing removes what is slower than a round, the sign test assumes nothing of
// the distribution. Throws Error unless both hold the same number, at least one, of positive times.
[[nodiscard]] Verdict judge(std::span<const Seconds> epoch_medians_a,
                            std::span<const Seconds> epoch_medians_b,
                            const AbOptions& options = {});

// "B ran 1.40 ± 0.03 times faster than A", and as plainly for the other three.
[[nodiscard]] std::string sentence(const Verdict& verdict, std::string_view name_a,
                                   std::string_view name_b);

}  // namespace ridgeline
