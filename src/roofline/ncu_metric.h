#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ridgeline {

// What is looked for in a file of Nsight Compute.
enum class NcuMetric {
  Time,
  SmPercent,
  DramPercent,
  Fadd,
  Fmul,
  Ffma,
  Hadd,
  Hmul,
  Hfma,
  Dadd,
  Dmul,
  Dfma,
  TensorFp64,
  TensorTf32,
  TensorFp16,
  TensorFp16ToFp16,
  TensorFp16ToFp32,
  TensorBf16,
  TensorFp8,
  TensorFp8ToFp16,
  TensorFp8ToFp32,
  TensorInt8,
  TensorInstructions,
  DramRead,
  DramWrite,
  DramBytes,
  L2Bytes,
  L1Bytes,
  Cycles,
  Occupancy,
  Waves
};
inline constexpr std::size_t kNcuMetrics = 31;
// As ncu's --metrics spells it: "gpu__time_duration.sum".
[[nodiscard]] std::string_view name_of(NcuMetric metric);

// The same quantity comes as a sum, or per second or per cycle of the kernel: the earlier here, the
// better.
enum class NcuForm : std::uint8_t { Sum, PerSecond, PerCycle };

struct NcuReading {
  NcuMetric metric{};
  NcuForm form = NcuForm::Sum;
  double factor = 1;          // of the value: a sector is 32 bytes
  std::uint8_t spelling = 0;  // which of the names that ncu has for the quantity
};

// Absent for metrics that are not looked for. The details page has labels instead of names, some of
// which ("Memory Throughput") only the unit tells apart.
[[nodiscard]] std::optional<NcuReading> ncu_reading(std::string_view name, std::string_view unit);

}  // namespace ridgeline
