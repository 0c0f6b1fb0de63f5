#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuda/cupti_counters.h"

namespace ridgeline {

// What a chip can count, and in how many passes: works without that chip in the machine.
class CounterPlan {
 public:
  // Metrics that the chip has not are left out and listed. Throws Error(Device) when it has none,
  // or when CUPTI does not know the chip.
  CounterPlan(const std::string& chip, std::span<const std::string> metrics);
  ~CounterPlan();
  CounterPlan(const CounterPlan&) = delete;
  CounterPlan& operator=(const CounterPlan&) = delete;

  [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
  [[nodiscard]] const std::vector<std::string>& unsupported() const { return unsupported_; }
  [[nodiscard]] std::span<const std::uint8_t> config() const { return config_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }
  // As CUPTI takes them; valid as long as this is.
  [[nodiscard]] const char** names() { return names_.data(); }
  // The metrics of one range of a counter data image.
  [[nodiscard]] std::vector<double> evaluate(std::span<const std::uint8_t> image,
                                             std::size_t range);

 private:
  const CuptiCounters& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<std::string> unsupported_;
  std::vector<const char*> names_;
  std::vector<std::uint8_t> config_;
  std::size_t passes_ = 0;
};

}  // namespace ridgeline
