#include "measure/probes.h"

#include <algorithm>

#include "core/cpu.h"
#include "core/error.h"
#include "core/memory.h"
#include "engine/peaks.h"
#include "roofline/cpu_probes.h"

namespace ridgeline {
namespace {

constexpr Precision kProducts[] = {Precision::Fp32, Precision::Tf32, Precision::Fp16,
                                   Precision::Bf16};

bool computes_in(const CpuFacts& cpu, Precision precision) {
  switch (precision) {
    case Precision::Fp32:
      return true;
    case Precision::Fp16:
      return computes_in_fp16(cpu);
    case Precision::Bf16:
    case Precision::Bf16Pure:
      return computes_in_bf16(cpu);
    case Precision::Tf32:
      return false;
  }
  return false;
}

void add_product(std::vector<PeakProbe>& probes, const Engine& engine, RunSettings settings,
                 Precision precision) {
  settings.precision = precision;
  engine.symbol<AddMatmulProbe>(kMatmulProbeSymbol)(settings, engine.backend(settings.device),
                                                    probes);
}

// A library leaves the second threads of a core idle.
void add_host_product(std::vector<PeakProbe>& probes, const Engine& engine,
                      const RunSettings& settings, const CpuFacts& cpu, Precision precision) {
  add_product(probes, engine, settings, precision);
  probes.back().busy_threads = std::min(settings.threads, std::max(cpu.physical_cores, 1));
}

std::vector<PeakProbe> host_probes(const Engine& engine, const RunSettings& settings,
                                   const ProbeOptions& options) {
  CpuProbeOptions host{.cpu = read_cpu_facts(),
                       .cores = cores_apart(),
                       .threads = {},
                       .memory_available = read_host_memory().available,
                       .kernels = usable_cpu_kernels()};
  host.threads = thread_counts(static_cast<int>(host.cores.size()));
  const int asked = settings.threads;
  RIDGELINE_CHECK(asked > 0);
  if (std::ranges::find(host.threads, asked) == host.threads.end()) host.threads.push_back(asked);
  // More threads than cores take turns.
  const std::size_t cores = host.cores.size();
  for (std::size_t i = cores; i < static_cast<std::size_t>(asked); ++i)
    host.cores.push_back(host.cores[i % cores]);
  std::vector<PeakProbe> probes;
  for (const Precision precision : kProducts) {
    if (options.emulated || computes_in(host.cpu, precision))
      add_host_product(probes, engine, settings, host.cpu, precision);
  }
  const auto others = cpu_probes(host);
  probes.insert(probes.end(), others.begin(), others.end());
  return probes;
}

// cuBLASLt's products where the plugin has them, else LibTorch's.
std::vector<PeakProbe> gpu_probes(const Engine& engine, const RunSettings& settings) {
  std::vector<PeakProbe> probes;
  if (const auto add = engine.cuda_symbol<AddCudaProbes>(kCudaProbesSymbol))
    add(settings.device.index, probes);
  for (const Precision precision : kProducts) {
    if (std::ranges::find(probes, peak_dtype(precision),
                          [](const PeakProbe& probe) -> std::string_view {
                            return probe.what.name;
                          }) == probes.end())
      add_product(probes, engine, settings, precision);
  }
  return probes;
}

}  // namespace

RunSettings with_real_threads(const Engine& engine, RunSettings settings) {
  // Asked for even where it is not wanted: once threads were set, the default is not known any
  // more.
  const int by_default = engine.symbol<DefaultThreads>(kDefaultThreadsSymbol)();
  if (settings.threads <= 0) settings.threads = std::max(by_default, 1);
  return settings;
}

bool is_emulated(std::string_view product) {
  const CpuFacts cpu = read_cpu_facts();
  return std::ranges::any_of(kProducts, [&](Precision precision) {
    return peak_dtype(precision) == product && !computes_in(cpu, precision);
  });
}

std::vector<PeakProbe> device_probes(const Engine& engine, const RunSettings& settings,
                                     const ProbeOptions& options) {
  return settings.device.kind == DeviceKind::Cuda ? gpu_probes(engine, settings)
                                                  : host_probes(engine, settings, options);
}

PeakRoundsPlan rounds_for(DeviceKind kind) {
  // A GPU's are few, for its matrix products rest before each.
  if (kind == DeviceKind::Cuda) return {.rounds = 9, .batches = 3, .batch = Seconds{0.006}};
  return {.rounds = 11, .batches = 3, .batch = Seconds{0.005}};
}

}  // namespace ridgeline
