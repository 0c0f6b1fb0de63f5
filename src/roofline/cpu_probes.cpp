#include "roofline/cpu_probes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/format.h"
#include "roofline/thread_team.h"
#include "roofline/working_set.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

constexpr Seconds kWarmUp{0.005};
// A value tends to addend / (1 - factor): never small, never large, never exact.
constexpr double kFactor = 0.75;
constexpr double kAddend = 0.3;
constexpr std::uint64_t kFmaRounds = 4096;

// Says to the compiler that a result is wanted.
template <class Value>
void keep(Value value) {
  asm volatile("" : : "r"(value) : "memory");
}

using Cores = std::vector<int>;

std::string thread_word(int threads) { return threads == 1 ? "thread" : "threads"; }

template <class Number, class Chains>
Seconds run_chains(const Cores& cores, std::size_t chains, Chains run_one, std::uint64_t rounds) {
  return run_together(cores, [&](std::size_t thread) {
    alignas(64) std::array<Number, kMostChains> values;
    for (std::size_t i = 0; i < chains; ++i)
      values[i] = static_cast<Number>(1 + 0.001 * static_cast<double>(i + thread));
    run_one(values.data(), static_cast<Number>(kFactor), static_cast<Number>(kAddend), rounds);
    keep(values.data());
  });
}

template <class Number>
PeakProbe fma_probe(const CpuKernels& kernels, const Cores& cores, const char* format,
                    ComputePath path, std::size_t chains,
                    void (*run_one)(Number*, Number, Number, std::uint64_t)) {
  const auto threads = static_cast<int>(cores.size());
  PeakProbe probe{.what = {.name = fmt::format("{} {}", format, kernels.name),
                           .path = path,
                           .threads = threads},
                  .warm_up = kWarmUp};
  probe.prepare = [=]() -> std::vector<PeakCandidate> {
    PeakCandidate candidate{
        .at = fmt::format("{} {}, {} chains each", threads, thread_word(threads), chains)};
    candidate.work = 2.0 * static_cast<double>(chains) * static_cast<double>(kFmaRounds) * threads;
    candidate.run = [=](std::uint64_t repetitions) {
      return run_chains<Number>(cores, chains, run_one, repetitions * kFmaRounds);
    };
    return {candidate};
  };
  return probe;
}

// A set for every thread, written by the thread that will read it: memory lies near who first
// touches it.
std::vector<std::shared_ptr<std::byte>> filled_sets(const Cores& cores, std::size_t bytes) {
  std::vector<std::shared_ptr<std::byte>> sets(cores.size());
  for (auto& set : sets) set = allocate_set(bytes);
  static_cast<void>(run_together(cores, [&](std::size_t thread) {
    Random random(thread);
    for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = random.next();
      std::memcpy(sets[thread].get() + at, &word, sizeof word);
    }
  }));
  return sets;
}

PeakProbe read_probe(const CpuKernels& kernels, const Cores& cores, MemoryLevel level,
                     std::size_t bytes) {
  const auto threads = static_cast<int>(cores.size());
  PeakProbe probe{.what = {.name = fmt::format("{} read", name_of(level)),
                           .is_bandwidth = true,
                           .level = level,
                           .threads = threads},
                  .warm_up = kWarmUp};
  // A large set is walked a piece a repetition: a sample need not last for all of it.
  const std::size_t pieces = level == MemoryLevel::Dram ? 32 : 1;
  const std::size_t piece = std::max(bytes / pieces / kReadBlock, std::size_t{1}) * kReadBlock;
  probe.prepare = [=, &kernels]() -> std::vector<PeakCandidate> {
    const auto sets = filled_sets(cores, bytes);
    const auto position = std::make_shared<std::size_t>(0);
    PeakCandidate candidate{.at = fmt::format("{} {}, {} each", threads, thread_word(threads),
                                              format_bytes(Bytes{static_cast<double>(bytes)})),
                            .work = static_cast<double>(piece) * threads};
    candidate.run = [=, &kernels](std::uint64_t repetitions) {
      const std::size_t start = *position;
      if (pieces > 1) *position = (start + repetitions) % pieces;
      return run_together(cores, [&](std::size_t thread) {
        std::uint64_t sum = 0;
        if (pieces == 1) sum = kernels.sum_words(sets[thread].get(), piece, repetitions);
        for (std::uint64_t i = 0; pieces > 1 && i < repetitions; ++i)
          sum += kernels.sum_words(sets[thread].get() + (start + i) % pieces * piece, piece, 1);
        keep(sum);
      });
    };
    return {candidate};
  };
  return probe;
}

using CopyBytes = void (*)(std::byte*, const std::byte*, std::size_t);

PeakCandidate copy_candidate(const Cores& cores,
                             const std::vector<std::shared_ptr<std::byte>>& sets, std::size_t bytes,
                             const char* name, CopyBytes copy) {
  constexpr std::size_t kPieces = 32;
  const auto threads = static_cast<int>(cores.size());
  const std::size_t half = bytes / 2 / kReadBlock * kReadBlock;
  const std::size_t piece = std::max(half / kPieces / kReadBlock, std::size_t{1}) * kReadBlock;
  const auto position = std::make_shared<std::size_t>(0);
  PeakCandidate candidate{.at = fmt::format("{} {}, {}", threads, thread_word(threads), name),
                          .work = 2.0 * static_cast<double>(piece) * threads};
  candidate.run = [=](std::uint64_t repetitions) {
    const std::size_t start = *position;
    *position = (start + repetitions) % kPieces;
    return run_together(cores, [&](std::size_t thread) {
      std::byte* const set = sets[thread].get();
      for (std::uint64_t i = 0; i < repetitions; ++i) {
        const std::size_t at = (start + i) % kPieces * piece;
        copy(set + half + at, set + at, piece);
      }
    });
  };
  return candidate;
}

// The first half of a set to its second.
PeakProbe copy_probe(const CpuKernels& kernels, const Cores& cores, std::size_t bytes) {
  PeakProbe probe{.what = {.name = "copy",
                           .is_bandwidth = true,
                           .level = MemoryLevel::Dram,
                           .threads = static_cast<int>(cores.size())},
                  .warm_up = kWarmUp};
  probe.prepare = [=, &kernels]() -> std::vector<PeakCandidate> {
    const auto sets = filled_sets(cores, bytes);
    const CopyBytes plain = [](std::byte* to, const std::byte* from, std::size_t count) {
      std::memcpy(to, from, count);
    };
    return {copy_candidate(cores, sets, bytes, "memcpy", plain),
            copy_candidate(cores, sets, bytes, "streaming stores", kernels.stream_copy)};
  };
  return probe;
}

void add_bandwidths(std::vector<PeakProbe>& probes, const CpuProbeOptions& options,
                    const Cores& cores) {
  const CpuKernels& widest = *options.kernels.back();
  // All sets live at once: for each number of threads one to read and one to copy.
  const Bytes share{options.memory_available.count /
                    (2.0 * static_cast<double>(options.threads.size()))};
  const auto set_of = [&](MemoryLevel level) {
    return working_set(
        options.cpu,
        {.level = level, .threads = static_cast<int>(cores.size()), .memory_available = share});
  };
  for (const MemoryLevel level :
       {MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3, MemoryLevel::Dram}) {
    if (const auto bytes = set_of(level))
      probes.push_back(read_probe(widest, cores, level, *bytes));
  }
  if (const auto bytes = set_of(MemoryLevel::Dram); bytes && *bytes >= 4 * kReadBlock)
    probes.push_back(copy_probe(widest, cores, *bytes));
}

}  // namespace

std::vector<int> thread_counts(int cores) {
  std::vector<int> counts;
  for (int count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(std::max(cores, 1));
  return counts;
}

std::vector<const CpuKernels*> usable_cpu_kernels() {
  std::vector<const CpuKernels*> usable;
  for (const CpuKernels* const kernels :
       {scalar_cpu_kernels(), avx2_cpu_kernels(), avx512_cpu_kernels()}) {
    if (kernels != nullptr) usable.push_back(kernels);
  }
  return usable;
}

std::vector<PeakProbe> cpu_probes(const CpuProbeOptions& options) {
  std::vector<PeakProbe> probes;
  if (options.kernels.empty()) return probes;
  for (const int threads : options.threads) {
    RIDGELINE_CHECK(threads > 0 && threads <= static_cast<int>(options.cores.size()));
    const Cores cores(options.cores.begin(), options.cores.begin() + threads);
    for (const CpuKernels* const kernels : options.kernels) {
      probes.push_back(fma_probe<float>(*kernels, cores, "fp32", ComputePath::Fp32,
                                        kernels->chains32, kernels->fma32));
      probes.push_back(fma_probe<double>(*kernels, cores, "fp64", ComputePath::Fp64,
                                         kernels->chains64, kernels->fma64));
    }
    add_bandwidths(probes, options, cores);
  }
  return probes;
}

}  // namespace ridgeline
