#pragma once

#include <vector>

#include "engine/backend.h"
#include "engine/settings.h"
#include "roofline/peak_probe.h"

namespace ridgeline {

// The rate of LibTorch's matrix product on random data (zeros run faster than any real work), in
// the settings' precision and with their threads, under the name of peak_dtype().
[[nodiscard]] PeakProbe matmul_probe(const RunSettings& settings, Backend& backend);

using AddMatmulProbe = void (*)(const RunSettings&, Backend&, std::vector<PeakProbe>&);
inline constexpr const char* kMatmulProbeSymbol = "ridgeline_matmul_probe";

// The threads that LibTorch takes where nobody asked for a number: as it was when first asked, so
// before any settings were applied.
using DefaultThreads = int (*)();
inline constexpr const char* kDefaultThreadsSymbol = "ridgeline_default_threads";

// The plugin's ceilings of a GPU: matrix products of every format, FMA, bandwidths, the host link.
using AddCudaProbes = void (*)(int index, std::vector<PeakProbe>&);
inline constexpr const char* kCudaProbesSymbol = "ridgeline_cuda_peak_probes";

}  // namespace ridgeline
