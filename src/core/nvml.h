#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace ridgeline {

struct GpuFacts {
  int index = 0;
  std::string name{};
  std::string uuid{};
  std::string pci{};
  std::string driver{};
  std::string cuda_driver{};  // the newest CUDA the driver serves, "13.0"
  Bytes memory_total{};
  Bytes memory_free{};
  std::optional<int> compute_major{};
  std::optional<int> compute_minor{};
  std::optional<int> sm_count{};
  std::optional<double> max_sm_clock_mhz{};
  std::optional<double> max_memory_clock_mhz{};
  std::optional<double> power_limit_w{};
};

struct GpuProcess {
  long pid = 0;
  std::optional<std::string> name{};  // absent when it runs outside our container
  std::optional<Bytes> memory{};
};

struct GpuState {
  std::optional<double> sm_clock_mhz{};
  std::optional<double> memory_clock_mhz{};
  std::optional<double> temperature_c{};
  std::optional<double> power_w{};
  // Of the driver's last sampling period, a sixth of a second to one second long: the part in which
  // any kernel ran, however small, and the part in which memory was read or written.
  std::optional<double> gpu_busy_percent{};
  std::optional<double> memory_busy_percent{};
  std::vector<std::string> throttle_reasons{};  // empty: none active
  std::vector<GpuProcess> foreign_processes{};  // neither we nor a process started by us
};

// What the driver knows about its GPUs, through the library that comes with it. Loaded at run time:
// the same program runs where there is no driver.
class Nvml {
 public:
  // Absent without driver, GPU library or (at build time) header; `why_not` then says which.
  [[nodiscard]] static std::optional<Nvml> load(std::string* why_not);

  [[nodiscard]] std::vector<GpuFacts> gpus() const;
  [[nodiscard]] std::optional<GpuState> state(int gpu) const;
  // The same without the processes, which take a hundred files of /proc: for who asks often.
  [[nodiscard]] std::optional<GpuState> activity(int gpu) const;
  [[nodiscard]] std::optional<double> energy_joules(int gpu) const;  // since the driver started

 private:
  struct Api;
  explicit Nvml(std::shared_ptr<const Api> api) : api_(std::move(api)) {}
  std::shared_ptr<const Api> api_;
};

// The words for NVML's bit mask of reasons why clocks are lower than they could be.
[[nodiscard]] std::vector<std::string> throttle_words(std::uint64_t mask);

}  // namespace ridgeline
