#include "roofline/op_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;

TEST(OpCallTest, DimensionsTypesAndValuesBecomeInputs) {
  const auto call = parse_op_call("aten::cudnn_convolution",
                                  "[[8,3,32,32],[64,3,7,7],[],[]]\n[\"Float\",\"BFloat16\",\"\","
                                  "\"\"]\n[null,null,[3,3],1]");
  ASSERT_TRUE(call);
  ASSERT_EQ(call->inputs.size(), 4U);
  EXPECT_DOUBLE_EQ(call->tensor(0)->elements(), 8 * 3 * 32 * 32);
  EXPECT_DOUBLE_EQ(call->tensor(1)->bytes().count, 64 * 3 * 7 * 7 * 2);
  EXPECT_EQ(call->tensor(2), nullptr);
  EXPECT_THAT(*call->list(2), ElementsAre(3, 3));
  EXPECT_EQ(call->number(3), 1);
  EXPECT_EQ(call->list(3), nullptr);
  EXPECT_EQ(call->number(2), std::nullopt);
  EXPECT_FALSE(call->in_place());
}

TEST(OpCallTest, ATensorWithoutDimensionsHasOneElement) {
  const auto call = parse_op_call("aten::add_", "[[],[]]\n[\"Float\",\"Scalar\"]\n[null,2]");
  ASSERT_TRUE(call);
  EXPECT_DOUBLE_EQ(call->tensor(0)->elements(), 1);
  EXPECT_EQ(call->tensor(1), nullptr);
  EXPECT_EQ(call->number(1), 2);
  EXPECT_TRUE(call->in_place());
}

TEST(OpCallTest, AListOfTensorsIsKnownByItsSumsAlone) {
  const auto call = parse_op_call("aten::_fused_sgd_",
                                  "[[[2,3],[4]],[]]\n[\"TensorList\",\"TensorList\"]\n"
                                  "[[10,40],[10,20]]");
  ASSERT_TRUE(call);
  EXPECT_DOUBLE_EQ(call->inputs[0].elements(), 10);
  EXPECT_DOUBLE_EQ(call->inputs[0].bytes().count, 40);
  EXPECT_DOUBLE_EQ(call->inputs[1].bytes().count, 20);
  EXPECT_DOUBLE_EQ(call->inputs[1].elements(), 10);
}

TEST(OpCallTest, WhatWasNotRecordedIsAbsentAndNotZero) {
  // Without the line of values a list of tensors has no sums; dimensions may have been left out.
  const auto call = parse_op_call("x", "[[[2,3]]]\n[\"TensorList\",\"Float\"]");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->inputs[0].what, OpInput::What::Absent);
  EXPECT_EQ(call->inputs[1].what, OpInput::What::Absent);
  EXPECT_EQ(call->tensor(7), nullptr);
}

TEST(OpCallTest, AnythingElseIsNoCall) {
  for (const char* const shape :
       {"", "[[1]]", "nonsense\n[]", "[[1]]\n{}", "[[1]]\n[7]", "[[\"a\"]]\n[\"Float\"]",
        "[[-4]]\n[\"Float\"]", "[[4000000000,4000000000,4000000000]]\n[\"Float\"]",
        "[[1.5]]\n[\"Float\"]"})
    EXPECT_FALSE(parse_op_call("x", shape)) << shape;
}

TEST(OpCallTest, TypesHaveTheirWidths) {
  EXPECT_EQ(width_of("Float"), 4);
  EXPECT_EQ(width_of("BFloat16"), 2);
  EXPECT_EQ(width_of("ComplexFloat"), 8);
  EXPECT_EQ(width_of("Bool"), 1);
  EXPECT_EQ(width_of("Quaternion"), 0);
  EXPECT_TRUE(is_floating("Half"));
  EXPECT_FALSE(is_floating("Long"));
}

}  // namespace
}  // namespace ridgeline
