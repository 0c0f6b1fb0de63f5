#include "profile/occupancy.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

constexpr GpuShape kH200{.compute_major = 9, .compute_minor = 0, .multiprocessors = 132};

DeviceRecord kernel(std::uint32_t blocks, std::uint32_t threads, std::uint32_t registers,
                    std::uint64_t shared = 0) {
  return {.grid = {blocks, 1, 1},
          .block = {threads, 1, 1},
          .registers = registers,
          .shared_memory = shared};
}

// Worked by hand from the limits of compute capability 9.0: 64 warps, 32 blocks, 64 Ki registers,
// 228 KiB of shared memory.
TEST(OccupancyTest, WhatRunsOutFirstDecides) {
  constexpr std::uint32_t kMany = 132 * 1000;
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 256, 32), kH200), 1.0);
  // 128 registers: 4096 a warp, 16 warps in all, two blocks of 8.
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 256, 128), kH200), 0.25);
  // 168 registers: 5376 a warp, 3 in each part, 12 in all, one block of 8.
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 256, 168), kH200), 0.125);
  // 32 blocks of one warp.
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 32, 16), kH200), 0.5);
  // 100 KiB and 1 KiB of its own: two blocks fit into 228 KiB.
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 512, 32, 100 << 10), kH200), 0.5);
  // 256 KiB fit nowhere.
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(kMany, 512, 32, 256 << 10), kH200), 0);
}

TEST(OccupancyTest, ASmallGridLeavesMultiprocessorsEmpty) {
  EXPECT_DOUBLE_EQ(*estimated_occupancy(kernel(66, 1024, 32), kH200), 0.25);
}

TEST(OccupancyTest, WavesAreBlocksOverThoseThatLiveAtOnce) {
  // 32 registers, 256 threads: 8 blocks on each of 132.
  EXPECT_DOUBLE_EQ(*estimated_waves(kernel(132 * 8 * 3, 256, 32), kH200), 3);
  EXPECT_DOUBLE_EQ(*estimated_waves(kernel(132, 256, 32), kH200), 0.125);
  EXPECT_FALSE(estimated_waves(kernel(132, 512, 32, 256 << 10), kH200)) << "not one fits";
  EXPECT_FALSE(estimated_waves(kernel(1, 32, 32), {.compute_major = 99}));
}

TEST(OccupancyTest, AnUnknownGpuAndWorkThatIsNoKernelHaveNone) {
  EXPECT_FALSE(estimated_occupancy(kernel(1, 32, 32), {.compute_major = 99}));
  EXPECT_FALSE(estimated_occupancy(kernel(0, 0, 0), kH200));
  DeviceRecord copy = kernel(1, 32, 32);
  copy.kind = DeviceRecordKind::Copy;
  EXPECT_FALSE(estimated_occupancy(copy, kH200));
}

}  // namespace
}  // namespace ridgeline
