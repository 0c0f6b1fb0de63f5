#include "measure/utilisation.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/format.h"

namespace ridgeline {
namespace {

std::optional<double> mean(const std::vector<GpuState>& samples,
                           std::optional<double> GpuState::*field) {
  double sum = 0;
  double count = 0;
  for (const GpuState& sample : samples) {
    if (!(sample.*field)) continue;
    sum += *(sample.*field);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::vector<std::string> reasons_in(const std::vector<GpuState>& samples) {
  std::vector<std::string> reasons;
  for (const GpuState& sample : samples) {
    for (const std::string& reason : sample.throttle_reasons) {
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  return reasons;
}

}  // namespace

void UtilisationLog::step_began(Seconds now) {
  if (!since_ || (ended_ && now - *ended_ > kLongestPause)) since_ = now;
  ended_.reset();
}

void UtilisationLog::step_ended(Seconds now) {
  ended_ = now;
  if (since_) longest_ = std::max(longest_, now - *since_);
}

bool UtilisationLog::tells_of_steps(Seconds now) const {
  if (!since_ || now - *since_ < kSamplingPeriod) return false;
  return !ended_ || now - *ended_ <= kLongestPause;
}

void UtilisationLog::add(Seconds now, const GpuState& state) {
  if (!tells_of_steps(now)) return;
  if (samples_.empty()) first_ = now;
  last_ = now;
  samples_.push_back(state);
}

Utilisation UtilisationLog::result() const {
  Utilisation result{.gpu_percent = mean(samples_, &GpuState::gpu_busy_percent),
                     .memory_percent = mean(samples_, &GpuState::memory_busy_percent),
                     .sm_clock_mhz = mean(samples_, &GpuState::sm_clock_mhz),
                     .power_w = mean(samples_, &GpuState::power_w),
                     .throttle_reasons = reasons_in(samples_),
                     .samples = samples_.size(),
                     .why_absent = ""};
  if (!samples_.empty()) result.watched = last_ - first_ + kSamplingPeriod;
  if (result.gpu_percent) return result;
  result.why_absent =
      samples_.empty()
          ? fmt::format(
                "steps followed each other for {} without the profiler, and it tells of "
                "periods of up to {}",
                format_seconds(longest_), format_seconds(kSamplingPeriod))
          : "this GPU's driver does not tell it";
  return result;
}

}  // namespace ridgeline
