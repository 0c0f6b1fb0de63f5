#include "profile/op_tree.h"

#include <gtest/gtest.h>

#include "profile/made_ops.h"

namespace ridgeline {
namespace {

using ridgeline::testing::kSmallLinear;
using ridgeline::testing::kSmallMm;
using ridgeline::testing::MadeOps;

const OpNode& node_of(const OpTree& tree, std::uint32_t id) { return tree.nodes.at(id - 1); }

double flop_of(const OpTree& tree) {
  double sum = 0;
  for (const OpNode& node : tree.nodes)
    if (node.work) sum += node.work->total_flop().count;
  return sum;
}

TEST(OpTreeTest, WorkThatIsHandedOnCountsOnce) {
  MadeOps made;
  const auto linear = made.frame("aten::linear", kSmallLinear, 1, 100);
  const auto matmul = made.frame("aten::matmul", kSmallMm, linear, 50);
  const auto mm = made.frame("aten::mm", kSmallMm, matmul, 900);
  const OpTree tree = op_tree(made.recording, {});
  EXPECT_EQ(flop_of(tree), 60);
  EXPECT_FALSE(node_of(tree, linear).work);
  EXPECT_TRUE(node_of(tree, linear).overhead);
  EXPECT_TRUE(node_of(tree, mm).work);
  EXPECT_EQ(node_of(tree, mm).owner, mm - 1);
}

TEST(OpTreeTest, WhoeverIsNotRelievedOfItsWorkDoesIt) {
  MadeOps made;
  const auto linear = made.frame("aten::linear", kSmallLinear, 1, 100);
  // A copy inside is work, but not the product.
  const auto copy = made.frame("aten::copy_", "[[8],[8]]\n[\"Float\",\"Float\"]", linear, 50);
  const OpTree tree = op_tree(made.recording, {});
  EXPECT_EQ(flop_of(tree), 60);
  EXPECT_TRUE(node_of(tree, linear).work);
  EXPECT_EQ(node_of(tree, copy).work->bytes.count, 64);
}

TEST(OpTreeTest, AnOpWithoutModelInsideOneIsAPartOfIt) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 100);
  const auto secret = made.frame("mkl::secret", "", mm, 700);
  const auto alone = made.frame("mine::op", "", 1, 10);
  const OpTree tree = op_tree(made.recording, {});
  EXPECT_EQ(node_of(tree, secret).owner, mm - 1);
  EXPECT_EQ(node_of(tree, alone).owner, OpNode::kNone);
  EXPECT_FALSE(node_of(tree, alone).overhead);
}

TEST(OpTreeTest, ViewsNodesOfTheBackwardAndStepsAreOverhead) {
  MadeOps made;
  const auto view = made.frame("aten::view", "[[2,3],[]]\n[\"Float\",\"\"]", 1, 10);
  const auto node = made.frame("MmBackward0", "", 1, 10, FrameKind::Backward);
  const OpTree tree = op_tree(made.recording, {});
  for (const std::uint32_t id : {std::uint32_t{1}, view, node})
    EXPECT_TRUE(node_of(tree, id).overhead) << id;
}

TEST(OpTreeTest, OnADeviceItsTimesCountAndTheHostsDoNot) {
  MadeOps made;
  const auto mm = made.frame("aten::mm", kSmallMm, 1, 9'000);
  made.kernel("gemm", mm, 300);
  made.kernel("splitk", mm, 100);
  made.kernel("stray", 0, 7);
  const OpTree tree = op_tree(made.recording, {});
  EXPECT_TRUE(tree.on_device);
  EXPECT_EQ(node_of(tree, mm).time, 400);
  EXPECT_EQ(node_of(tree, 1).time, 0);
  EXPECT_EQ(tree.launchers, (std::vector<std::size_t>{mm - 1, mm - 1, OpNode::kNone}));
}

TEST(OpTreeTest, AReplayedFrameCountsWithEveryReplay) {
  MadeOps made;
  OpRecord captured = made.recording.ops.front();
  made.frame("aten::mm", kSmallMm, 0, 0);
  captured.name = made.recording.ops.back().name;
  captured.shape = made.recording.ops.back().shape;
  captured.kind = FrameKind::Op;
  made.recording.captured = {captured};
  for (const std::uint32_t replay : {11U, 12U, 13U}) {
    made.kernel("gemm", 0, 100);
    made.recording.device.back().captured = captured.id;
    made.recording.device.back().correlation = replay;
  }
  const OpTree tree = op_tree(made.recording, {});
  EXPECT_EQ(tree.nodes.back().calls, 3U);
  EXPECT_EQ(tree.nodes.back().time, 300);
}

}  // namespace
}  // namespace ridgeline
