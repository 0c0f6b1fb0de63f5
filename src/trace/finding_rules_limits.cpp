#include <string_view>

#include <fmt/format.h>

#include "core/format.h"
#include "trace/bound.h"
#include "trace/finding_rules.h"

namespace ridgeline::rules {
namespace {

std::string_view band_of(double mfu) {
  if (mfu < 0.2) return "low, below 20 %";
  if (mfu < 0.4) return "moderate, 20 to 40 %";
  if (mfu < 0.6) return "good, 40 to 60 %";
  return "excellent, above 60 %";
}

std::string flop_rate(FlopPerSecond rate) {
  return rate.value < 1e12 ? fmt::format("{:.1f} GFLOP/s", rate.value / 1e9)
                           : fmt::format("{:.2f} TFLOP/s", rate.value / 1e12);
}

// A ratio that its own interval refutes, or that has none, is noise.
std::string cost_in_time(const ProfilingCost& cost) {
  if (!cost.low || !cost.high)
    return "What profiling cost in time cannot be told from so few steps";
  if (*cost.low <= 1 && *cost.high >= 1)
    return fmt::format(
        "What profiling cost in time cannot be told apart from noise ({:.2f}x to {:.2f}x)",
        *cost.low, *cost.high);
  return fmt::format("Profiling made the step {:.2f}x as long", cost.time_ratio);
}

}  // namespace

std::optional<std::string> flop_utilisation(const ProfileFacts& facts) {
  const auto mfu = mfu_of(facts);
  if (!mfu) return std::nullopt;
  return fmt::format("MFU is {:.1f} % ({}): {} of the {} measured as this device's peak.",
                     100 * *mfu, band_of(*mfu), flop_rate(*facts.work / facts.step),
                     flop_rate(*facts.peak));
}

std::optional<std::string> surpassed_peak(const ProfileFacts& facts) {
  if (!surpasses_peak(facts)) return std::nullopt;
  return fmt::format(
      "The peak measured for this device, {}, is less than the {} that the step reaches by its "
      "shapes: it was measured while the machine was slower{}. No MFU, limit or gain of another "
      "precision is told by it; `ridgeline roofline peaks --refresh` measures again.",
      flop_rate(*facts.peak), flop_rate(*facts.work / facts.step),
      op_time(facts, OpKind::Convolution) > Seconds{0}
          ? ", or convolutions take fewer FLOPs than their shapes say (Winograd's)"
          : "");
}

std::optional<std::string> absent_peaks(const ProfileFacts& facts) {
  if (facts.absent_peaks.empty()) return std::nullopt;
  std::string reasons;
  for (const std::string& reason : facts.absent_peaks)
    reasons += (reasons.empty() ? "" : "; ") + reason;
  return fmt::format(
      "Not every peak is known: {}. MFU, limits and the gain of another precision that need one "
      "are left out; where nothing else runs they are told.",
      reasons);
}

std::optional<std::string> what_binds(const ProfileFacts& facts) {
  const auto verdict = bound_of(facts);
  if (!verdict) return std::nullopt;
  return fmt::format("{} is {}: {}.", facts.marks_steps ? "The step" : "The trace",
                     name_of(verdict->bound), verdict->evidence);
}

std::optional<std::string> cost_of_profiling(const ProfileFacts& facts) {
  if (!facts.cost) return std::nullopt;
  std::string text = cost_in_time(*facts.cost);
  if (facts.cost->memory.count > 0)
    text += fmt::format("; it took {} of memory for its records", format_bytes(facts.cost->memory));
  return text + "; the times of whole steps come from steps without it.";
}

}  // namespace ridgeline::rules
