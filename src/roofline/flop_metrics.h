#pragma once

#include <array>
#include <optional>

#include "roofline/ceilings.h"
#include "roofline/ncu_metric.h"

namespace ridgeline {

// The counters that count FLOPs, for files of ncu and for counters read in process.
struct FlopMetric {
  NcuMetric metric;
  ComputePath path;
  double flop;  // of one
};
inline constexpr std::array kFlopMetrics{
    FlopMetric{NcuMetric::Fadd, ComputePath::Fp32, 1},
    FlopMetric{NcuMetric::Fmul, ComputePath::Fp32, 1},
    FlopMetric{NcuMetric::Ffma, ComputePath::Fp32, 2},
    FlopMetric{NcuMetric::Hadd, ComputePath::Fp16, 1},
    FlopMetric{NcuMetric::Hmul, ComputePath::Fp16, 1},
    FlopMetric{NcuMetric::Hfma, ComputePath::Fp16, 2},
    FlopMetric{NcuMetric::Dadd, ComputePath::Fp64, 1},
    FlopMetric{NcuMetric::Dmul, ComputePath::Fp64, 1},
    FlopMetric{NcuMetric::Dfma, ComputePath::Fp64, 2},
    FlopMetric{NcuMetric::TensorFp64, ComputePath::TensorFp64, 1},
    FlopMetric{NcuMetric::TensorTf32, ComputePath::TensorTf32, 1},
    FlopMetric{NcuMetric::TensorFp16, ComputePath::TensorFp16, 1},
    FlopMetric{NcuMetric::TensorFp16ToFp16, ComputePath::TensorFp16, 1},
    FlopMetric{NcuMetric::TensorFp16ToFp32, ComputePath::TensorFp16, 1},
    FlopMetric{NcuMetric::TensorBf16, ComputePath::TensorBf16, 1},
    FlopMetric{NcuMetric::TensorFp8, ComputePath::TensorFp8, 1},
    FlopMetric{NcuMetric::TensorFp8ToFp16, ComputePath::TensorFp8, 1},
    FlopMetric{NcuMetric::TensorFp8ToFp32, ComputePath::TensorFp8, 1},
    FlopMetric{NcuMetric::TensorInt8, ComputePath::TensorInt8, 1},
};

// The sum that a metric is a part of. Both together would count twice: parts are used where the sum
// is not, as on most chips.
[[nodiscard]] constexpr std::optional<NcuMetric> sum_with(NcuMetric part) {
  switch (part) {
    case NcuMetric::TensorFp16ToFp16:
    case NcuMetric::TensorFp16ToFp32:
      return NcuMetric::TensorFp16;
    case NcuMetric::TensorFp8ToFp16:
    case NcuMetric::TensorFp8ToFp32:
      return NcuMetric::TensorFp8;
    default:
      return std::nullopt;
  }
}

}  // namespace ridgeline
