#include "stats/ab.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/error.h"
#include "stats/order_interval.h"

namespace ridgeline {
namespace {

constexpr double kPower = 0.9;  // of the detectable effect

void require_valid(std::span<const Seconds> a, std::span<const Seconds> b,
                   const AbOptions& options) {
  if (a.size() != b.size()) throw bad_input("an A/B comparison needs as many epochs of A as of B");
  if (a.empty()) throw bad_input("an A/B comparison needs at least one round");
  const auto is_positive = [](Seconds t) { return std::isfinite(t.count()) && t > Seconds{0}; };
  if (!std::ranges::all_of(a, is_positive) || !std::ranges::all_of(b, is_positive)) {
    throw bad_input("an A/B comparison needs epochs of positive, finite times");
  }
  if (options.comparisons == 0) throw bad_input("an A/B table holds at least one comparison");
  if (!(options.threshold >= 0)) throw bad_input("the threshold of an A/B comparison is negative");
}

// In the log domain: an effect of t and its inverse lie equally far from none.
struct LogEffect {
  double middle{}, low{}, high{};

  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

double median_of_sorted(const std::vector<double>& ascending) {
  const std::size_t half = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[half] : (ascending[half - 1] + ascending[half]) / 2;
}

Verdict::Kind decide(const LogEffect& effect, double log_threshold) {
  if (effect.low > 0 && effect.middle >= log_threshold) return Verdict::Kind::Faster;
  if (effect.high < 0 && effect.middle <= -log_threshold) return Verdict::Kind::Slower;
  if (effect.low >= -log_threshold && effect.high <= log_threshold) {
    return Verdict::Kind::Equivalent;
  }
  return Verdict::Kind::Inconclusive;
}

// The standard normal's quantile at 1 - tail, by bisection: called a few times a verdict.
double normal_quantile_above(double tail) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    const double above = std::erfc(middle / std::numbers::sqrt2) / 2;
    (above > tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

// Half the interval is z standard errors wide; finding an effect with the power wanted takes as
// much more as that power's own quantile.
double detectable(const LogEffect& effect, double confidence, double threshold) {
  const double z = normal_quantile_above((1 - confidence) / 2);
  const double reach = effect.half_width() * (z + normal_quantile_above(1 - kPower)) / z;
  return std::max(threshold, std::expm1(reach));
}

// The half width shrinks with the root of the rounds. It must fit between the effect and none when
// the effect matters, between the effect and the threshold when it does not.
std::optional<std::size_t> still_needed(const LogEffect& effect, double log_threshold,
                                        std::size_t rounds) {
  const double size = std::abs(effect.middle);
  const double room = size >= log_threshold ? size : log_threshold - size;
  if (!(room > 0)) return std::nullopt;
  const double total = static_cast<double>(rounds) * std::pow(effect.half_width() / room, 2);
  if (!(total <= static_cast<double>(kMaxUsefulRounds))) return std::nullopt;
  const auto more = std::max(1.0, std::ceil(total) - static_cast<double>(rounds));
  const auto whole = static_cast<std::size_t>(more);
  return whole + whole % 2;
}

}  // namespace

Verdict judge(std::span<const Seconds> epoch_medians_a, std::span<const Seconds> epoch_medians_b,
              const AbOptions& options) {
  require_valid(epoch_medians_a, epoch_medians_b, options);
  std::vector<double> ratios(epoch_medians_a.size());
  std::ranges::transform(epoch_medians_a, epoch_medians_b, ratios.begin(),
                         [](Seconds a, Seconds b) { return std::log(a / b); });
  std::ranges::sort(ratios);
  const double confidence = 1 - (1 - options.confidence) / static_cast<double>(options.comparisons);
  const QuantileTarget target{.quantile = 0.5, .confidence = confidence};
  Verdict verdict{.speedup = std::exp(median_of_sorted(ratios)),
                  .rounds = ratios.size(),
                  .threshold = options.threshold};
  const auto ranks = quantile_ranks(ratios.size(), target);
  if (!ranks) {
    const std::size_t missing = samples_for_interval(target) - ratios.size();
    verdict.rounds_still_needed = missing + missing % 2;
    return verdict;
  }
  const LogEffect effect{.middle = median_of_sorted(ratios),
                         .low = ratios[ranks->low - 1],
                         .high = ratios[ranks->high - 1]};
  const double log_threshold = std::log1p(options.threshold);
  verdict.kind = decide(effect, log_threshold);
  verdict.interval = {
      .low = std::exp(effect.low), .high = std::exp(effect.high), .confidence = confidence};
  if (verdict.kind == Verdict::Kind::Inconclusive) {
    verdict.detectable_effect = detectable(effect, confidence, options.threshold);
    verdict.rounds_still_needed = still_needed(effect, log_threshold, ratios.size());
  }
  return verdict;
}

}  // namespace ridgeline
