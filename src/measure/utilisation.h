#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/nvml.h"
#include "core/units.h"

namespace ridgeline {

// How busy a GPU was by its driver's own account (NVML) while steps were taken. Not the time in
// which it worked: of each of the driver's sampling periods the part in which any kernel ran.
struct Utilisation {
  std::optional<double> gpu_percent{};  // means of the samples
  std::optional<double> memory_percent{};
  std::optional<double> sm_clock_mhz{};
  std::optional<double> power_w{};
  std::vector<std::string> throttle_reasons{};  // that any sample saw
  std::size_t samples{};
  Seconds watched{};         // the time that the samples tell of
  std::string why_absent{};  // without `gpu_percent`
};

// The driver tells of a period that has passed, up to one second long: a sample counts once steps
// have followed each other for that long, so that nothing but steps is in it.
inline constexpr Seconds kSamplingPeriod{1};
// Work between steps (an evaluation, a checkpoint) that lasts longer begins the wait anew.
inline constexpr Seconds kLongestPause{0.02};

// Which samples count, on whatever clock the caller has. Not safe against threads.
class UtilisationLog {
 public:
  void step_began(Seconds now);
  void step_ended(Seconds now);
  // Takes the sample if it tells of steps alone.
  void add(Seconds now, const GpuState& state);
  [[nodiscard]] Utilisation result() const;

 private:
  [[nodiscard]] bool tells_of_steps(Seconds now) const;

  std::optional<Seconds> since_;  // when the steps that follow each other began
  std::optional<Seconds> ended_;  // the last one; absent inside a step
  Seconds longest_{};             // that steps followed each other
  Seconds first_{};               // of the samples, and the last
  Seconds last_{};
  std::vector<GpuState> samples_;
};

}  // namespace ridgeline
