#pragma once

#include <vector>

#include "core/cpu.h"
#include "core/units.h"
#include "roofline/cpu_kernels.h"
#include "roofline/peak_probe.h"

namespace ridgeline {

// 1, 2, 4 ... and all of them.
[[nodiscard]] std::vector<int> thread_counts(int cores);

struct CpuProbeOptions {
  CpuFacts cpu{};
  std::vector<int> cores{};    // to run on, in this order
  std::vector<int> threads{};  // a probe of each kind for each
  Bytes memory_available{};
  std::vector<const CpuKernels*> kernels{};  // those the CPU has, the widest last
};

// What this CPU has of kernels, the widest last.
[[nodiscard]] std::vector<const CpuKernels*> usable_cpu_kernels();

// FMA in fp32 and fp64 with each instruction set, reads from each level that can be told apart, and
// a copy in DRAM.
[[nodiscard]] std::vector<PeakProbe> cpu_probes(const CpuProbeOptions& options);

}  // namespace ridgeline
