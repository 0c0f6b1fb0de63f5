#include "measure/warnings.h"

#include <fmt/format.h>

namespace ridgeline {

std::optional<std::string> cpu_precision_warning(Precision precision, const CpuFacts& cpu) {
  switch (precision) {
    case Precision::Fp32:
      return std::nullopt;
    case Precision::Tf32:
      return "a CPU has no TF32: this row ran in fp32";
    case Precision::Bf16:
    case Precision::Bf16Pure:
      if (computes_in_bf16(cpu)) return std::nullopt;
      return "this CPU has no bf16 arithmetic (AVX512-BF16 or AMX): bf16 is emulated, several "
             "times slower than fp32";
    case Precision::Fp16:
      if (computes_in_fp16(cpu)) return std::nullopt;
      return "this CPU has no fp16 arithmetic (AVX512-FP16): fp16 is emulated, several times "
             "slower than fp32";
  }
  return std::nullopt;
}

std::vector<std::string> gpu_warnings(const GpuState& state) {
  std::vector<std::string> warnings;
  if (!state.throttle_reasons.empty()) {
    warnings.push_back(
        fmt::format("the GPU held its clocks down: {}", fmt::join(state.throttle_reasons, ", ")));
  }
  for (const GpuProcess& process : state.foreign_processes) {
    warnings.push_back(fmt::format("another process uses this GPU: {} (pid {})",
                                   process.name.value_or("unknown"), process.pid));
  }
  return warnings;
}

}  // namespace ridgeline
