#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

TEST(OpCostOptimizerTest, AdamReadsFourListsAndWritesThree) {
  const auto adamw = work_of("aten::_fused_adamw_", {tensors(100), tensors(100), tensors(100),
                                                     tensors(100), tensors(0), tensors(3)});
  EXPECT_EQ(flop_of(adamw), 1500);
  EXPECT_EQ(bytes_of(adamw), 7 * 400);
}

TEST(OpCostOptimizerTest, SgdReadsThreeAndWritesTwo) {
  const auto sgd = work_of("aten::_fused_sgd_", {tensors(100), tensors(100), tensors(100)});
  EXPECT_EQ(flop_of(sgd), 600);
  EXPECT_EQ(bytes_of(sgd), 5 * 400);
}

TEST(OpCostOptimizerTest, OnAGpuQuotientsAndRootsAreTheOperationsTheyAreMadeOf) {
  const OpCostOptions gpu{.on_gpu = true};
  const OpInput list = tensors(100);
  EXPECT_EQ(flop_of(work_of("aten::_fused_adamw_", {list, list, list, list}, gpu)), 4100);
  EXPECT_EQ(flop_of(work_of("aten::_fused_sgd_", {list, list, list}, gpu)), 900);
}

TEST(OpCostOptimizerTest, ListsGoTogetherElementByElement) {
  const auto sum = work_of("aten::_foreach_add_", {tensors(100), tensors(100), value(1)});
  EXPECT_EQ(flop_of(sum), 100);
  EXPECT_EQ(bytes_of(sum), 3 * 400);
  EXPECT_EQ(bytes_of(work_of("aten::_foreach_zero_", {tensors(100)})), 400);
  EXPECT_EQ(bytes_of(work_of("aten::_foreach_copy_", {tensors(100), tensors(100)})), 800);
  const auto norms = work_of("aten::_foreach_norm", {tensors(100)});
  EXPECT_EQ(flop_of(norms), 200);
  EXPECT_EQ(bytes_of(norms), 400) << "a number a tensor is written";
}

TEST(OpCostOptimizerTest, ListsWhoseSumsWereNotRecordedHaveNoCost) {
  EXPECT_FALSE(work_of("aten::_fused_adamw_", {none(), none(), none(), none()}));
}

}  // namespace
}  // namespace ridgeline
