#include "roofline/flop_excess.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

RooflinePoint work(const std::string& label, double flop) {
  RooflinePoint point{.label = label};
  point.flop[index_of(ComputePath::Fp32)] = {flop};
  return point;
}

TEST(FlopExcessTest, LabelsAreSummedAndTheLargestExcessIsFirst) {
  const auto excess = flop_excess(
      {work("mm", 1000), work("conv", 50), work("conv", 50), work("add", 10), work("relu", 5)},
      {work("mm", 1100), work("conv", 300), work("conv", 100), work("add", 12), work("relu", 1)},
      0.01);
  ASSERT_EQ(excess.size(), 2U) << "two more than asked for are not worth a word";
  EXPECT_EQ(excess[0].label, "conv");
  EXPECT_EQ(excess[0].asked.count, 100);
  EXPECT_EQ(excess[0].executed.count, 400);
  EXPECT_EQ(excess[1].label, "mm");
}

TEST(FlopExcessTest, WhatWasExecutedAsAskedForHasNone) {
  EXPECT_TRUE(flop_excess({work("mm", 1000)}, {work("mm", 1000)}, 0.01).empty());
  EXPECT_TRUE(flop_excess({}, {}, 0.01).empty());
}

TEST(FlopExcessTest, KindsAreSummedWithTheMostAskedForFirst) {
  auto convolution = work("conv", 50);
  convolution.kind = OpKind::Convolution;
  auto counted = work("other conv", 60);
  counted.kind = OpKind::Convolution;
  auto norm = work("norm", 0);
  norm.kind = OpKind::Normalisation;
  const auto kinds = flop_of_kinds({work("a", 0), convolution, convolution, norm},
                                   {work("a", 0), counted, counted, norm});
  ASSERT_EQ(kinds.size(), 1U) << "kinds that did nothing are no kinds";
  EXPECT_EQ(kinds[0].label, "convolution");
  EXPECT_EQ(kinds[0].asked.count, 100);
  EXPECT_EQ(kinds[0].executed.count, 120);
}

}  // namespace
}  // namespace ridgeline
