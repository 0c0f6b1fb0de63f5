#include "measure/utilisation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/format.h"

namespace ridgeline {

void UtilisationLog::Mean::add(const std::optional<double>& value) {
  if (!value) return;
  sum += *value;
  ++count;
}

std::optional<double> UtilisationLog::Mean::value() const {
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

void UtilisationLog::step_began(Seconds now) {
  if (!since_) since_ = now;
}

void UtilisationLog::step_ended(Seconds now) {
  if (since_) longest_ = std::max(longest_, now - *since_);
}

void UtilisationLog::steps_pause() { since_.reset(); }

void UtilisationLog::add(Seconds now, const GpuState& state) {
  if (!since_ || now - *since_ < kSamplingPeriod) return;
  // What the last sample told of already counts once.
  watched_ += samples_ == 0 ? kSamplingPeriod : std::min(kSamplingPeriod, now - last_);
  last_ = now;
  ++samples_;
  gpu_percent_.add(state.gpu_busy_percent);
  memory_percent_.add(state.memory_busy_percent);
  sm_clock_mhz_.add(state.sm_clock_mhz);
  power_w_.add(state.power_w);
  for (const std::string& reason : state.throttle_reasons) {
    if (std::ranges::find(throttle_reasons_, reason) == throttle_reasons_.end())
      throttle_reasons_.push_back(reason);
  }
}

Utilisation UtilisationLog::result() const {
  Utilisation result{.gpu_percent = gpu_percent_.value(),
                     .memory_percent = memory_percent_.value(),
                     .sm_clock_mhz = sm_clock_mhz_.value(),
                     .power_w = power_w_.value(),
                     .throttle_reasons = throttle_reasons_,
                     .samples = samples_,
                     .watched = watched_,
                     .why_absent = ""};
  if (result.gpu_percent) return result;
  result.why_absent =
      samples_ == 0 ? fmt::format(
                          "steps followed each other for {} without the profiler, and it tells of "
                          "periods of up to {}",
                          format_seconds(longest_), format_seconds(kSamplingPeriod))
                    : "this GPU's driver does not tell it";
  return result;
}

}  // namespace ridgeline
