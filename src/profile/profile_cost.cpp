#include "profile/profile_cost.h"

#include <utility>

#include <fmt/format.h>

#include "core/format.h"
#include "stats/summary.h"

namespace ridgeline {
namespace {

std::string beside_text(const ProfileCost& cost) {
  if (!cost.before)
    return " Without it means that it was paused; being there may cost a few per cent more.";
  return fmt::format(
      " Without it means that it was paused; before it came at all a step took {}, over which the "
      "cost is {:.3f}x.",
      format_seconds(*cost.before), summarise(cost.with).median / *cost.before);
}

}  // namespace

ProfileCost cost_of(std::vector<Seconds> without, std::vector<Seconds> with) {
  // B is the step with the profiler; judge's ratio is A over B, the cost is B over A.
  const Verdict verdict = judge(without, with);
  ProfileCost cost{.without = std::move(without), .with = std::move(with)};
  cost.ratio = 1 / verdict.speedup;
  if (verdict.interval) {
    cost.interval = RatioInterval{.low = 1 / verdict.interval->high,
                                  .high = 1 / verdict.interval->low,
                                  .confidence = verdict.interval->confidence};
  }
  return cost;
}

std::string sentence(const ProfileCost& cost, std::string_view what) {
  const std::string steps =
      fmt::format("{} a step with it, {} without", format_seconds(summarise(cost.with).median),
                  format_seconds(summarise(cost.without).median));
  const std::string range =
      cost.interval ? fmt::format(" (from {:.3f}x to {:.3f}x, {:.0f} %)", cost.interval->low,
                                  cost.interval->high, 100 * cost.interval->confidence)
                    : "";
  return fmt::format("{} cost {:.3f}x{}: {} ({} pairs{}).{}", what, cost.ratio, range, steps,
                     cost.with.size(), cost.interval ? "" : ", too few for an interval",
                     cost.beside_paused ? beside_text(cost) : "");
}

}  // namespace ridgeline
