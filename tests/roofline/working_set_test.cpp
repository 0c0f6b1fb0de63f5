#include "roofline/working_set.h"

#include <gtest/gtest.h>

#include "roofline/cpu_kernels.h"

namespace ridgeline {
namespace {

constexpr double kKib = 1024;
constexpr double kMib = 1024 * 1024;

CpuFacts made_cpu() {
  return {.logical_cores = 16,
          .l1 = Bytes{48 * kKib},
          .l2 = Bytes{1 * kMib},
          .l3 = Bytes{32 * kMib},
          .l3_cores = 8};
}

std::optional<std::size_t> set_of(const CpuFacts& cpu, MemoryLevel level, int threads,
                                  double memory = 64e9) {
  return working_set(cpu, {.level = level, .threads = threads, .memory_available = Bytes{memory}});
}

TEST(WorkingSetTest, OwnCachesAreHalfFilled) {
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::L1, 4), 24U * 1024);
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::L2, 4), 512U * 1024);
}

TEST(WorkingSetTest, TheSharedCacheIsFilledBeyondTheOwnOnesAndHalfAtMost) {
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::L3, 1), 4U << 20);
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::L3, 8), 2U << 20);
  // Sixteen threads are on two clusters of eight.
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::L3, 16), 2U << 20);
}

TEST(WorkingSetTest, MemoryIsFarMoreThanAllCaches) {
  // Two clusters of 32 MiB, four times over, shared among threads.
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::Dram, 1), 256U << 20);
  EXPECT_EQ(set_of(made_cpu(), MemoryLevel::Dram, 16), 16U << 20);
  CpuFacts unknown;
  EXPECT_EQ(set_of(unknown, MemoryLevel::Dram, 2), 64U << 20);
}

TEST(WorkingSetTest, LevelsThatCannotBeToldApartAreAbsent) {
  CpuFacts cpu = made_cpu();
  cpu.l3 = Bytes{8 * kMib};  // half a MiB a thread, which an own cache holds
  EXPECT_FALSE(set_of(cpu, MemoryLevel::L3, 8));
  cpu.l2 = Bytes{64 * kKib};
  EXPECT_FALSE(set_of(cpu, MemoryLevel::L2, 1));
  EXPECT_FALSE(set_of(made_cpu(), MemoryLevel::Dram, 1, 300 * kMib));
  for (const MemoryLevel level : {MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::L3})
    EXPECT_FALSE(set_of({}, level, 1));
}

TEST(WorkingSetTest, SetsAreWholeBlocks) {
  CpuFacts cpu = made_cpu();
  cpu.l1 = Bytes{50'000};
  EXPECT_EQ(*set_of(cpu, MemoryLevel::L1, 1) % kReadBlock, 0U);
  EXPECT_EQ(*set_of(cpu, MemoryLevel::Dram, 3) % kReadBlock, 0U);
}

TEST(WorkingSetTest, MemoryIsAlignedToLargePages) {
  const auto memory = allocate_set(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % (2U << 20), 0U);
}

}  // namespace
}  // namespace ridgeline
