#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

TEST(OpCostMovementTest, ACopyReadsOneTypeAndWritesAnother) {
  const auto cast = work_of("aten::copy_", {tensor({10}, "BFloat16"), tensor({10}), value(0)});
  EXPECT_EQ(flop_of(cast), 0);
  EXPECT_EQ(bytes_of(cast), 20 + 40);
}

TEST(OpCostMovementTest, FillingOnlyWrites) {
  EXPECT_EQ(bytes_of(work_of("aten::fill_", {tensor({10}), value(0)})), 40);
  EXPECT_EQ(bytes_of(work_of("aten::zero_", {tensor({10})})), 40);
}

TEST(OpCostMovementTest, JoiningReadsAndWritesAll) {
  EXPECT_EQ(bytes_of(work_of("aten::cat", {tensors(100), value(1)})), 800);
}

TEST(OpCostMovementTest, ALookUpTouchesTheRowsItPicks) {
  const auto picked =
      work_of("aten::index_select", {tensor({1000, 64}), value(0), tensor({32}, "Long")});
  EXPECT_EQ(bytes_of(picked), 2 * 32 * 64 * 4 + 32 * 8);
  const auto embedding = work_of("aten::embedding", {tensor({1000, 64}), tensor({2, 16}, "Long")});
  EXPECT_EQ(bytes_of(embedding), bytes_of(picked));
}

TEST(OpCostMovementTest, ItsGradientIsAWholeTable) {
  const auto gradient =
      work_of("aten::embedding_dense_backward",
              {tensor({2, 16, 64}), tensor({2, 16}, "Long"), value(1000), value(-1), value(0)});
  EXPECT_EQ(flop_of(gradient), 2 * 16 * 64);
  EXPECT_EQ(bytes_of(gradient), 4 * 2048 + 8 * 32 + 4 * 64000);
}

}  // namespace
}  // namespace ridgeline
