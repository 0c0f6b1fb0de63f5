#include "models/resnet_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/catalog.h"

namespace ridgeline {
namespace {

ResNetPlan plan(std::string_view name) {
  return plan_resnet(std::get<ResNetSpec>(*find_model(name)));
}

TEST(ResNetPlanTest, SpatialSizesOfImageNetGoDownTo7) {
  const ResNetPlan resnet = plan("resnet50");
  EXPECT_EQ(resnet.stem.out_size(), 112);
  EXPECT_EQ(resnet.blocks.front().convs.front().in_size, 56);
  EXPECT_EQ(resnet.final_size, 7);
  EXPECT_EQ(resnet.features, 2048);
}

TEST(ResNetPlanTest, StockStemOnCifarImagesEndsAtOnePixel) {
  const ResNetPlan resnet = plan_resnet({.label = "r", .depth = 18, .image_size = 32});
  EXPECT_EQ(resnet.stem.out_size(), 16);
  EXPECT_EQ(resnet.blocks.front().convs.front().in_size, 8);
  EXPECT_EQ(resnet.final_size, 1);
}

TEST(ResNetPlanTest, BottlenecksStrideInTheirMiddleConvolution) {
  const ResNetPlan resnet = plan("resnet50");
  EXPECT_EQ(resnet.blocks[3].name, "layer2.0");
  EXPECT_EQ(resnet.blocks[3].convs[0].stride, 1);
  EXPECT_EQ(resnet.blocks[3].convs[1].stride, 2);
  EXPECT_EQ(resnet.blocks[3].convs[2].out_channels, 512);
}

TEST(ResNetPlanTest, OnlyBlocksThatChangeShapeHaveAConvolutionalShortcut) {
  int in_18 = 0;
  for (const BlockPlan& block : plan("resnet18").blocks) {
    in_18 += block.shortcut == Shortcut::Convolution ? 1 : 0;
  }
  EXPECT_EQ(in_18, 3);
  EXPECT_EQ(plan("resnet50").blocks.front().shortcut, Shortcut::Convolution);
}

TEST(ResNetPlanTest, CifarFamilyPadsChannelsInsteadOfConvolving) {
  const ResNetPlan resnet = plan("resnet20");
  ASSERT_EQ(resnet.blocks.size(), 9U);
  EXPECT_EQ(resnet.blocks[3].shortcut, Shortcut::PadChannels);
  EXPECT_EQ(resnet.blocks[2].shortcut, Shortcut::Identity);
  EXPECT_EQ(resnet.final_size, 8);
  EXPECT_EQ(resnet.head_name, "linear");
}

TEST(ResNetPlanTest, UnknownDepthIsRefused) {
  EXPECT_THROW((void)plan_resnet({.label = "r", .depth = 19}), Error);
}

}  // namespace
}  // namespace ridgeline
