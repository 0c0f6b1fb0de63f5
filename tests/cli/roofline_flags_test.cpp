#include "cli/roofline_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "roofline/datasheet.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

TEST(RooflineFlagsTest, AFilesOwnCeilingsServeWhereNothingElseIsGiven) {
  EXPECT_EQ(ceilings_of({}, datasheet("L4")).machine, "L4");
  EXPECT_TRUE(ceilings_of({}, {}).empty());
}

TEST(RooflineFlagsTest, ANamedCardGoesBeforeTheFiles) {
  EXPECT_EQ(ceilings_of({.gpu = "H200"}, datasheet("L4")).machine, "H200");
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)ceilings_of({.gpu = "L44"}, {}); }),
              HasSubstr("did you mean 'L4"));
}

TEST(RooflineFlagsTest, PeaksByHandGoBeforeACards) {
  const Ceilings mixed = ceilings_of({.gpu = "L4", .peak_bw = 250, .peak_l2 = 1500}, {});
  EXPECT_DOUBLE_EQ(mixed.of(MemoryLevel::Dram)->value, 250e9);
  EXPECT_DOUBLE_EQ(mixed.of(MemoryLevel::L2)->value, 1500e9);
  EXPECT_DOUBLE_EQ(mixed.of(ComputePath::Fp32)->value, 30.3e12);
  EXPECT_THAT(mixed.source, HasSubstr("given by flags"));
}

TEST(RooflineFlagsTest, PeaksAloneAreAMachine) {
  const Ceilings given = ceilings_of({.peak_compute = 30, .peak_bw = 300}, {});
  EXPECT_EQ(given.machine, "30.00 TFLOP/s, 300 GB/s");
  EXPECT_EQ(ceilings_of({.peak_compute = 1e-5, .peak_bw = 0.25}, {}).machine,
            "1e-05 TFLOP/s, 0.25 GB/s");
  EXPECT_DOUBLE_EQ(given.of(ComputePath::TensorBf16)->value, 30e12);
  EXPECT_DOUBLE_EQ(given.of(MemoryLevel::Dram)->value, 300e9);
  EXPECT_FALSE(given.of(MemoryLevel::L1));
}

TEST(RooflineFlagsTest, DtypesNameTheUnitThatComputesInThem) {
  EXPECT_EQ(path_of_dtype("fp32"), ComputePath::Fp32);
  EXPECT_EQ(path_of_dtype("bf16"), ComputePath::TensorBf16);
  EXPECT_EQ(path_of_dtype("tf32"), ComputePath::TensorTf32);
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)path_of_dtype("bf17"); }),
              HasSubstr("did you mean 'bf16'"));
}

}  // namespace
}  // namespace ridgeline
