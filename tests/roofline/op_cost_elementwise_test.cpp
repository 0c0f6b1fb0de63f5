#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

TEST(OpCostElementwiseTest, OperandsAreReadAndTheResultIsWritten) {
  const auto add = work_of("aten::add", {tensor({4, 8}), tensor({8}), value(1)});
  EXPECT_EQ(flop_of(add), 32);
  EXPECT_EQ(bytes_of(add), 4 * (32 + 8 + 32));
  const auto in_place = work_of("aten::add_", {tensor({4, 8}), tensor({8}), value(1)});
  EXPECT_EQ(bytes_of(in_place), bytes_of(add));
  const auto scaled = work_of("aten::mul", {tensor({4, 8}), value(2)});
  EXPECT_EQ(bytes_of(scaled), 4 * 64);
}

TEST(OpCostElementwiseTest, WhereTheResultGoesIsNotRead) {
  const auto into = work_of("aten::mul", {tensor({8}), tensor({8}), tensor({8})});
  EXPECT_EQ(bytes_of(into), 4 * 24);
}

TEST(OpCostElementwiseTest, TheWidestFloatingTypeIsTheResults) {
  const auto mixed = work_of("aten::mul", {tensor({8}, "BFloat16"), tensor({8})});
  EXPECT_EQ(bytes_of(mixed), 2 * 8 + 4 * 8 + 4 * 8);
  // A number that is a tensor changes no type.
  const auto scalar = work_of("aten::mul", {tensor({8}, "BFloat16"), tensor({}, "Float")});
  EXPECT_EQ(bytes_of(scalar), 2 * 8 + 4 + 2 * 8);
}

TEST(OpCostElementwiseTest, ComparisonsAndChoicesAreNoFlops) {
  EXPECT_EQ(flop_of(work_of("aten::threshold_backward", {tensor({8}), tensor({8}), value(0)})), 0);
  EXPECT_EQ(bytes_of(work_of("aten::threshold_backward", {tensor({8}), tensor({8}), value(0)})),
            96);
  EXPECT_EQ(flop_of(work_of("aten::clamp_min_", {tensor({8}), value(0)})), 0);
  EXPECT_EQ(bytes_of(work_of("aten::eq", {tensor({8}, "Long"), tensor({8}, "Long")})), 2 * 64 + 8);
}

TEST(OpCostElementwiseTest, FormulasCountTheirOperations) {
  EXPECT_EQ(flop_of(work_of("aten::silu", {tensor({10})})), 40);
  EXPECT_EQ(flop_of(work_of("aten::silu_backward", {tensor({10}), tensor({10})})), 80);
  EXPECT_EQ(flop_of(work_of("aten::addcmul", {tensor({5}), tensor({5}), tensor({5})})), 10);
  EXPECT_EQ(flop_of(work_of("aten::rsqrt", {tensor({5, 1})})), 5);
}

TEST(OpCostElementwiseTest, AComplexProductIsSix) {
  const auto turn = work_of(
      "aten::mul", {tensor({2, 16, 8, 4}, "ComplexFloat"), tensor({16, 1, 4}, "ComplexFloat")});
  EXPECT_EQ(flop_of(turn), 6 * 2 * 16 * 8 * 4);
  EXPECT_EQ(bytes_of(turn), 8 * (2 * 1024 + 64));
}

}  // namespace
}  // namespace ridgeline
