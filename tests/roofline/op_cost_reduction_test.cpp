#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

TEST(OpCostReductionTest, DimensionsThatStayAreWritten) {
  const auto rows = work_of("aten::sum", {tensor({4, 8}), list({-1}), value(1)});
  EXPECT_EQ(flop_of(rows), 32);
  EXPECT_EQ(bytes_of(rows), 4 * (32 + 4));
  EXPECT_EQ(bytes_of(work_of("aten::sum", {tensor({4, 8}), list({}), value(0)})), 4 * 33);
  EXPECT_EQ(bytes_of(work_of("aten::sum", {tensor({4, 8})})), 4 * 33);
  EXPECT_FALSE(work_of("aten::sum", {tensor({4, 8}), list({2})}));
}

TEST(OpCostReductionTest, SoftmaxIsFourANumber) {
  const auto forward = work_of("aten::_log_softmax", {tensor({2, 10}), value(1), value(0)});
  EXPECT_EQ(flop_of(forward), 80);
  EXPECT_EQ(bytes_of(forward), 4 * 40);
  const auto backward = work_of("aten::_log_softmax_backward_data",
                                {tensor({2, 10}), tensor({2, 10}), value(1), value(6)});
  EXPECT_EQ(bytes_of(backward), 4 * 60);
}

TEST(OpCostReductionTest, TheLossPicksANumberARow) {
  const auto forward =
      work_of("aten::nll_loss_forward", {tensor({32, 1000}), tensor({32}, "Long")});
  EXPECT_EQ(bytes_of(forward), 32 * 8 + 4 * 34);
  const auto backward =
      work_of("aten::nll_loss_backward", {tensor({}), tensor({32, 1000}), tensor({32}, "Long")});
  EXPECT_EQ(bytes_of(backward), 4 * 32000 + 32 * 8);
}

TEST(OpCostReductionTest, PoolingGivesASmallerMap) {
  // 3 x 3, stride 2, padding 1 on 16 x 16 gives 8 x 8, with a place each.
  const auto pool = work_of(
      "aten::max_pool2d_with_indices",
      {tensor({2, 4, 16, 16}), list({3, 3}), list({2, 2}), list({1, 1}), list({1, 1}), value(0)});
  EXPECT_EQ(flop_of(pool), 0);
  EXPECT_EQ(bytes_of(pool), 4 * 2048 + 512 * 12);
  const auto back =
      work_of("aten::max_pool2d_with_indices_backward",
              {tensor({2, 4, 8, 8}), tensor({2, 4, 16, 16}), list({3, 3}), list({2, 2}),
               list({1, 1}), list({1, 1}), value(0), tensor({2, 4, 8, 8}, "Long")});
  EXPECT_EQ(bytes_of(back), 4 * 512 + 4 * 2048 + 8 * 512);
  const auto mean = work_of("aten::avg_pool2d", {tensor({1, 1, 4, 4}), list({2, 2}), list({}),
                                                 list({0, 0}), value(0), value(1)});
  EXPECT_EQ(flop_of(mean), 16);
  EXPECT_EQ(bytes_of(mean), 4 * 20);
  const auto all = work_of("aten::_adaptive_avg_pool2d", {tensor({2, 8, 7, 7}), list({1, 1})});
  EXPECT_EQ(bytes_of(all), 4 * (2 * 8 * 49 + 16));
}

}  // namespace
}  // namespace ridgeline
