#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

TEST(OpCostProductsTest, AMultiplyAddIsTwo) {
  const auto mm = work_of("aten::mm", {tensor({2, 3}), tensor({3, 5})});
  EXPECT_EQ(flop_of(mm), 2 * 2 * 3 * 5);
  EXPECT_EQ(bytes_of(mm), 4 * (2 * 3 + 3 * 5 + 2 * 5));
  const auto bmm = work_of("aten::bmm", {tensor({7, 2, 3}), tensor({7, 3, 5})});
  EXPECT_EQ(flop_of(bmm), 7 * 60);
  EXPECT_EQ(bytes_of(bmm), 7 * bytes_of(mm));
}

TEST(OpCostProductsTest, HalfTypesAreShorterAndOnMatrixUnits) {
  const auto mm = work_of("aten::mm", {tensor({2, 3}, "BFloat16"), tensor({3, 5}, "BFloat16")});
  EXPECT_EQ(flop_of(mm, ComputePath::TensorBf16), 60);
  EXPECT_EQ(bytes_of(mm), 2 * 31);
}

TEST(OpCostProductsTest, ABiasIsReadAndAdded) {
  const auto addmm = work_of("aten::addmm", {tensor({5}), tensor({2, 3}), tensor({3, 5})});
  EXPECT_EQ(flop_of(addmm), 60 + 2 * 5);
  EXPECT_EQ(bytes_of(addmm), 4 * (31 + 5));
  const auto linear = work_of("aten::linear", {tensor({2, 3}), tensor({5, 3}), tensor({5})});
  EXPECT_EQ(flop_of(linear), flop_of(addmm));
  EXPECT_EQ(bytes_of(linear), bytes_of(addmm));
}

TEST(OpCostProductsTest, MatmulTakesVectorsMatricesAndBatches) {
  EXPECT_EQ(flop_of(work_of("aten::matmul", {tensor({3}), tensor({3})})), 6);
  EXPECT_EQ(flop_of(work_of("aten::matmul", {tensor({4, 2, 3}), tensor({3, 5})})), 4 * 60);
  EXPECT_EQ(flop_of(work_of("aten::matmul", {tensor({4, 2, 3}), tensor({4, 3, 5})})), 4 * 60);
}

TEST(OpCostProductsTest, SidesThatDoNotFitAreNotMultiplied) {
  EXPECT_FALSE(work_of("aten::mm", {tensor({2, 3}), tensor({4, 5})}));
  EXPECT_FALSE(work_of("aten::linear", {tensor({2, 3}), tensor({5, 4})}));
}

}  // namespace
}  // namespace ridgeline
