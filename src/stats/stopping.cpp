#include "stats/stopping.h"

#include <algorithm>
#include <bit>

namespace ridgeline {
namespace {

constexpr std::size_t kLooksPerDoubling = 4;

bool is_time_to_look(std::size_t count) {
  const std::size_t stride = std::max<std::size_t>(1, std::bit_floor(count) / kLooksPerDoubling);
  return count % stride == 0;
}

std::optional<StopReason> apply(const ExactCount& rule, std::span<const Seconds> times, Seconds) {
  if (times.size() < rule.samples) return std::nullopt;
  return StopReason::Count;
}

std::optional<StopReason> apply(const UntilPrecise& rule, std::span<const Seconds> times,
                                Seconds elapsed) {
  if (times.empty() || times.size() < rule.min_samples) return std::nullopt;
  const bool spent = elapsed >= rule.budget;
  const bool look = spent || times.size() == rule.min_samples || is_time_to_look(times.size());
  if (look && precise_enough(summarise(times), rule.target_fraction)) return StopReason::Precision;
  if (spent) return StopReason::Budget;
  return std::nullopt;
}

}  // namespace

bool precise_enough(const Summary& summary, double target_fraction) {
  if (!summary.median_interval) return false;
  const Seconds furthest = std::max(summary.median_interval->high - summary.median,
                                    summary.median - summary.median_interval->low);
  return furthest <= target_fraction * summary.median;
}

std::optional<StopReason> reason_to_stop(const StoppingRule& rule, std::span<const Seconds> times,
                                         Seconds elapsed) {
  return std::visit([&](const auto& kind) { return apply(kind, times, elapsed); }, rule);
}

}  // namespace ridgeline
