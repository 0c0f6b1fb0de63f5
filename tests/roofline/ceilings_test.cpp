#include "roofline/ceilings.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(CeilingsTest, NamesLeadBackToTheirPathsAndLevels) {
  for (const ComputePath path : all_compute_paths()) EXPECT_EQ(compute_path(name_of(path)), path);
  for (const MemoryLevel level : all_memory_levels())
    EXPECT_EQ(memory_level(name_of(level)), level);
  EXPECT_FALSE(compute_path("fp31"));
  EXPECT_FALSE(memory_level("L9"));
}

TEST(CeilingsTest, OnlyTensorPathsAreTensor) {
  EXPECT_FALSE(is_tensor(ComputePath::Bf16));
  EXPECT_TRUE(is_tensor(ComputePath::TensorFp64));
  EXPECT_TRUE(is_tensor(ComputePath::TensorInt8));
}

TEST(CeilingsTest, TheKneeIsPeakOverBandwidth) {
  Ceilings ceilings;
  EXPECT_TRUE(ceilings.empty());
  EXPECT_FALSE(knee(ceilings, ComputePath::Fp32, MemoryLevel::Dram));
  ceilings.compute[index_of(ComputePath::Fp32)] = FlopPerSecond{30e12};
  ceilings.bandwidth[index_of(MemoryLevel::Dram)] = BytesPerSecond{300e9};
  EXPECT_DOUBLE_EQ(knee(ceilings, ComputePath::Fp32, MemoryLevel::Dram)->value, 100);
  EXPECT_FALSE(knee(ceilings, ComputePath::Fp32, MemoryLevel::L2));
  EXPECT_FALSE(ceilings.empty());
}

}  // namespace
}  // namespace ridgeline
