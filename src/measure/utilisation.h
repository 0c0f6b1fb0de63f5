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
// A stretch of this many tells enough: asking costs the driver's time, and a training lasts hours.
inline constexpr std::size_t kEnoughSamples = 100;

// Which samples count, on whatever clock the caller has. Not safe against threads.
class UtilisationLog {
 public:
  // Between steps a device may work off what was queued, and that is the steps' work still.
  void step_began(Seconds now);
  void step_ended(Seconds now);
  // Something else follows (an evaluation, a checkpoint): the wait begins anew with the next step.
  void steps_pause();
  // Takes the sample if it tells of steps alone.
  void add(Seconds now, const GpuState& state);
  [[nodiscard]] bool has_enough() const { return samples_ >= kEnoughSamples; }
  [[nodiscard]] Utilisation result() const;

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
    void add(const std::optional<double>& value);
    [[nodiscard]] std::optional<double> value() const;
  };

  std::optional<Seconds> since_;  // when the steps that follow each other began
  Seconds longest_{};             // that steps followed each other
  Seconds last_{};                // sample
  Seconds watched_{};
  std::size_t samples_ = 0;
  Mean gpu_percent_;
  Mean memory_percent_;
  Mean sm_clock_mhz_;
  Mean power_w_;
  std::vector<std::string> throttle_reasons_;
};

}  // namespace ridgeline
