#include "roofline/working_set.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/error.h"
#include "roofline/cpu_kernels.h"

namespace ridgeline {
namespace {

constexpr double kLeastDram = 128.0 * 1024 * 1024;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::optional<std::size_t> in_blocks(double bytes) {
  const auto blocks = static_cast<std::size_t>(bytes / static_cast<double>(kReadBlock));
  return blocks > 0 ? std::optional(blocks * kReadBlock) : std::nullopt;
}

// Threads that share one L3, were they all next to each other.
double neighbours(const CpuFacts& cpu, int threads) {
  return std::min(threads, cpu.l3_cores.value_or(threads));
}

std::optional<std::size_t> shared_set(const CpuFacts& cpu, int threads) {
  if (!cpu.l2 || !cpu.l3) return std::nullopt;
  // Four times the own cache is enough that nothing of it is met again.
  const double share = cpu.l3->count / 2 / neighbours(cpu, threads);
  const double size = std::min(share, 4 * cpu.l2->count);
  return size >= 2 * cpu.l2->count ? in_blocks(size) : std::nullopt;
}

std::optional<std::size_t> memory_set(const CpuFacts& cpu, const WorkingSetRequest& request) {
  const double clusters =
      cpu.l3_cores ? std::max(1.0, static_cast<double>(cpu.logical_cores) / *cpu.l3_cores) : 1.0;
  const double caches = cpu.l3.value_or(cpu.l2.value_or(Bytes{})).count * clusters;
  const double wanted = std::max(kLeastDram, 4 * caches);
  if (wanted > request.memory_available.count / 2) return std::nullopt;
  return in_blocks(wanted / request.threads);
}

}  // namespace

std::optional<std::size_t> working_set(const CpuFacts& cpu, const WorkingSetRequest& request) {
  RIDGELINE_CHECK(request.threads > 0);
  switch (request.level) {
    case MemoryLevel::L1:
      return cpu.l1 ? in_blocks(cpu.l1->count / 2) : std::nullopt;
    case MemoryLevel::L2:
      if (!cpu.l1 || !cpu.l2 || cpu.l2->count / 2 < 2 * cpu.l1->count) return std::nullopt;
      return in_blocks(cpu.l2->count / 2);
    case MemoryLevel::L3:
      return shared_set(cpu, request.threads);
    case MemoryLevel::Dram:
      return memory_set(cpu, request);
  }
  return std::nullopt;
}

std::shared_ptr<std::byte> allocate_set(std::size_t bytes) {
  const std::size_t whole = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* const memory = std::aligned_alloc(kLargePage, whole);
  if (memory == nullptr)
    throw Error(Fault::Memory, fmt::format("no memory for a working set of {} bytes", whole));
  static_cast<void>(madvise(memory, whole, MADV_HUGEPAGE));
  return {static_cast<std::byte*>(memory), std::free};
}

}  // namespace ridgeline
