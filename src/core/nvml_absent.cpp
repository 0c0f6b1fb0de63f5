#include "core/nvml.h"

// Compiled instead of nvml.cpp where nvml.h is not found.
namespace ridgeline {

struct Nvml::Api {};

std::optional<Nvml> Nvml::load(std::string* why_not) {
  if (why_not != nullptr) *why_not = "this program was built without nvml.h (CUDA toolkit)";
  return std::nullopt;
}

std::vector<GpuFacts> Nvml::gpus() const { return {}; }
std::optional<GpuState> Nvml::state(int) const { return std::nullopt; }
std::optional<GpuState> Nvml::activity(int) const { return std::nullopt; }
std::optional<double> Nvml::energy_joules(int) const { return std::nullopt; }

}  // namespace ridgeline
