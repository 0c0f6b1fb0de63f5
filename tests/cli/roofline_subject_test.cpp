#include "cli/roofline_subject.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

TEST(RooflineSubjectTest, ProductsAreHeldToTheUnitThatRunsTheirPrecision) {
  EXPECT_EQ(product_path_of(Precision::Fp32), ComputePath::Fp32);
  EXPECT_EQ(product_path_of(Precision::Tf32), ComputePath::TensorTf32);
  EXPECT_EQ(product_path_of(Precision::Fp16), ComputePath::TensorFp16);
  EXPECT_EQ(product_path_of(Precision::Bf16), ComputePath::TensorBf16);
  EXPECT_EQ(product_path_of(Precision::Bf16Pure), ComputePath::TensorBf16);
}

TEST(RooflineSubjectTest, AnUnknownUseOfCountersIsRefused) {
  EXPECT_EQ(parse_counter_use("off"), CounterUse::Off);
  EXPECT_THROW((void)parse_counter_use("of"), Error);
}

}  // namespace
}  // namespace ridgeline
