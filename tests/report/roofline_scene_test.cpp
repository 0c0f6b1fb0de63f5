#include "report/roofline_scene.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "report/roofline_samples.h"

namespace ridgeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::made_point;

PointSet set_of(std::vector<RooflinePoint> points) {
  return {.label = "run", .points = std::move(points)};
}

TEST(RooflineSceneTest, APointIsPlacedUnderItsRoofs) {
  const auto scene = make_scene({set_of({made_point("k", 1, 1, 100)})}, datasheet("L4"), {});
  ASSERT_EQ(scene.dots.size(), 1U);
  EXPECT_DOUBLE_EQ(scene.dots[0].x, 10);
  EXPECT_DOUBLE_EQ(scene.dots[0].y, 1000);
  EXPECT_DOUBLE_EQ(scene.dots[0].share, 1);
  ASSERT_EQ(scene.roofs.size(), 2U);
  EXPECT_EQ(scene.roofs[0].label, "DRAM 300 GB/s");
  EXPECT_EQ(scene.roofs[1].label, "fp32 30.3 TFLOP/s");
  // They meet in the knee.
  EXPECT_DOUBLE_EQ(scene.roofs[0].x1, 101);
  EXPECT_DOUBLE_EQ(scene.roofs[1].x0, 101);
  ASSERT_EQ(scene.knees.size(), 1U);
  EXPECT_EQ(scene.knees[0].label, "knee 101 FLOP/byte");
}

TEST(RooflineSceneTest, EveryDotLiesWithinTheBounds) {
  const auto scene = make_scene({testing::many_points(200)}, datasheet("L4"), {});
  EXPECT_EQ(scene.dots.size(), 200U);
  for (const RooflineDot& dot : scene.dots) {
    EXPECT_GT(dot.x, scene.x_low);
    EXPECT_LT(dot.x, scene.x_high);
    EXPECT_GT(dot.y, scene.y_low);
    EXPECT_LT(dot.y, scene.y_high);
  }
  EXPECT_TRUE(std::ranges::is_sorted(scene.dots, std::greater{}, &RooflineDot::share));
}

TEST(RooflineSceneTest, OnlyPathsInUseHaveARoofAndEveryKnownLevelHasOne) {
  Ceilings ceilings = datasheet("L4");
  ceilings.bandwidth[index_of(MemoryLevel::L2)] = BytesPerSecond{1500e9};
  RooflinePoint point = made_point("k", 1, 1, 100);
  point.flop[index_of(ComputePath::TensorBf16)] = Flop{1e9};
  const auto scene = make_scene({set_of({point})}, ceilings, {});
  std::vector<std::string> labels;
  for (const RoofLine& roof : scene.roofs) labels.push_back(roof.label);
  EXPECT_THAT(labels,
              ::testing::UnorderedElementsAre("DRAM 300 GB/s", "L2 1.5 TB/s", "fp32 30.3 TFLOP/s",
                                              "bf16 tensor 121 TFLOP/s"));
}

TEST(RooflineSceneTest, WhatHasNoPlaceIsTold) {
  const auto scene = make_scene(
      {set_of({made_point("k", 3, 1, 100), made_point("copy", 1, 0, 100)})}, datasheet("L4"), {});
  EXPECT_EQ(scene.dots.size(), 1U);
  EXPECT_THAT(scene.notes,
              Contains("Not drawn: 1 of 2 points (without FLOPs, 25.0 % of the time)"));
}

TEST(RooflineSceneTest, AnOutlierDoesNotStretchTheAxesWithoutEnd) {
  const auto scene =
      make_scene({set_of({made_point("k", 1, 1, 100), made_point("tiny", 1e6, 1e-9, 100)})},
                 datasheet("L4"), {});
  EXPECT_EQ(scene.dots.size(), 1U);
  EXPECT_LE(scene.y_high / scene.y_low, 1.01e7);
  EXPECT_THAT(scene.notes, Contains(HasSubstr("1 point more than 7 decades")));
}

TEST(RooflineSceneTest, ArrowsLeadFromOneRunToTheOther) {
  const PointSet before = set_of({made_point("a", 2, 1, 100), made_point("b", 1, 1, 10)});
  PointSet after = before;
  for (RooflinePoint& point : after.points) point.time /= 2;
  const auto scene = make_scene({before, after}, datasheet("L4"), {.compare = true});
  ASSERT_EQ(scene.arrows.size(), 2U);
  for (const RooflineArrow& arrow : scene.arrows) {
    EXPECT_EQ(scene.dots[arrow.from].set, 0U);
    EXPECT_EQ(scene.dots[arrow.to].set, 1U);
    EXPECT_EQ(scene.dots[arrow.from].label, scene.dots[arrow.to].label);
  }
  EXPECT_TRUE(make_scene({before, after}, datasheet("L4"), {}).arrows.empty());
}

TEST(RooflineSceneTest, EachLaunchIsComparedOnceWithItsLike) {
  PointSet before =
      set_of({made_point("a", 2, 1, 100), made_point("b", 1, 1, 10), made_point("a", 8, 1, 100)});
  PointSet after = before;
  after.points[0].time /= 4;
  after.points[2].time *= 2;
  const auto places = [](const PointSet& one, const PointSet& two) {
    const auto scene = make_scene({one, two}, datasheet("L4"), {.compare = true});
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (const RooflineArrow& arrow : scene.arrows)
      pairs.emplace_back(scene.dots[arrow.from].place, scene.dots[arrow.to].place);
    std::ranges::sort(pairs);
    return pairs;
  };
  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(places(before, after), (Pairs{{0, 0}, {1, 1}, {2, 2}})) << "the n-th with the n-th";
  before.points[0].detail = after.points[2].detail = "[[2,3]]";
  before.points[2].detail = "[[4,3]]";
  EXPECT_EQ(places(before, after), (Pairs{{0, 2}, {1, 1}, {2, 0}})) << "shapes first";
  after.points.pop_back();
  EXPECT_EQ(places(before, after), (Pairs{{0, 0}, {1, 1}}));
}

TEST(RooflineSceneTest, ArrowsThatAPictureHasNoRoomForAreCounted) {
  const PointSet set = testing::many_points(60);
  const RooflineScene scene = make_scene({set, set}, datasheet("L4"), {.compare = true});
  EXPECT_GT(scene.arrows.size(), kMostDrawnArrows);
  EXPECT_THAT(scene.notes, ::testing::Contains(::testing::HasSubstr(
                               fmt::format("40 of {} in a picture", scene.arrows.size()))));
  EXPECT_EQ(std::min(scene.arrows.front().from, scene.arrows.front().to), 0U);
}

TEST(RooflineSceneTest, RunsAreNamedByWhatDiffersAndTheTitleByTheRest) {
  PointSet one = set_of({made_point("a", 2, 1, 100)});
  PointSet two = one;
  one.label = "resnet18 fp32, batch 1";
  two.label = "resnet18 fp32, batch 2";
  const auto scene = make_scene({one, two}, datasheet("L4"), {});
  EXPECT_EQ(scene.title, "Roofline of resnet18 fp32");
  EXPECT_EQ(scene.sets, (std::vector<std::string>{"batch 1", "batch 2"}));
}

TEST(RooflineSceneTest, PointsAboveACeilingAreTold) {
  const PointSet fast = set_of({made_point("k", 1, 1, 100), made_point("wrong", 1, 60, 1)});
  const auto scene = make_scene({fast}, datasheet("L4"), {});
  EXPECT_THAT(scene.notes, Contains(HasSubstr("1 point, most of all wrong at 198 % of fp32")));
  PointSet cached = set_of({made_point("k", 1, 1, 1000)});
  EXPECT_THAT(make_scene({cached}, datasheet("L4"), {}).notes, Contains(HasSubstr("% of DRAM")));
  cached.points[0].by_shapes = true;
  EXPECT_TRUE(make_scene({cached}, datasheet("L4"), {}).notes.empty());
}

TEST(RooflineSceneTest, AFormatWithoutAPeakIsToldAndTheMemorysRoofIsDrawnAnyway) {
  RooflinePoint point = made_point("k", 1000, 100, 10000);
  std::swap(point.flop[index_of(ComputePath::Fp32)], point.flop[index_of(ComputePath::TensorBf16)]);
  const auto scene = make_scene({set_of({point})}, datasheet("T4"), {});
  EXPECT_THAT(scene.notes, Contains(HasSubstr("No bf16 tensor peak is known (T4")));
  ASSERT_EQ(scene.roofs.size(), 1U);
  EXPECT_LT(scene.roofs[0].x0, scene.dots[0].x);
  EXPECT_GT(scene.roofs[0].x1, scene.dots[0].x);
}

TEST(RooflineSceneTest, PointsUnderTheRoofsOfAnotherMachineAreTold) {
  PointSet here = set_of({made_point("k", 1, 1, 100)});
  PointSet there = here;
  here.ceilings = datasheet("L4");
  there.ceilings = datasheet("H200");
  there.label = "server";
  EXPECT_TRUE(make_scene({here, here}, datasheet("L4"), {}).notes.empty());
  EXPECT_THAT(make_scene({here, there}, datasheet("L4"), {}).notes,
              Contains("server is of H200, and stands here under the roofs of L4"));
}

TEST(RooflineSceneTest, WithoutCeilingsOrPlacesThereIsNoPicture) {
  EXPECT_THAT(message_of(Fault::BadInput,
                         [] { (void)make_scene({set_of({made_point("k", 1, 1, 1)})}, {}, {}); }),
              HasSubstr("--gpu"));
  EXPECT_THAT(
      message_of(
          Fault::BadInput,
          [] { (void)make_scene({set_of({made_point("k", 1, 0, 1)})}, datasheet("L4"), {}); }),
      HasSubstr("nothing to place"));
  EXPECT_THAT(message_of(Fault::BadInput,
                         [] {
                           (void)make_scene({set_of({made_point("k", 1, 1, 1)})}, datasheet("L4"),
                                            {.level = MemoryLevel::L2});
                         }),
              HasSubstr("L2 bytes"));
}

TEST(RooflineSceneTest, ARoofWithoutPointsShowsEveryCeiling) {
  Ceilings ceilings{.machine = "box", .source = "measured here"};
  ceilings.compute[index_of(ComputePath::Fp32)] = FlopPerSecond{100e9};
  ceilings.compute[index_of(ComputePath::Fp64)] = FlopPerSecond{50e9};
  ceilings.bandwidth[index_of(MemoryLevel::Dram)] = BytesPerSecond{10e9};
  ceilings.bandwidth[index_of(MemoryLevel::L1)] = BytesPerSecond{200e9};
  const auto scene = empty_scene(ceilings);
  EXPECT_TRUE(scene.dots.empty());
  EXPECT_EQ(scene.title, "Roofline of box");
  ASSERT_EQ(scene.roofs.size(), 4U);
  for (const RoofLine& roof : scene.roofs) {
    EXPECT_LT(roof.x0, roof.x1) << roof.label;
    EXPECT_GE(roof.x0, scene.x_low) << roof.label;
    EXPECT_LE(roof.y1, scene.y_high) << roof.label;
    EXPECT_GE(roof.y0, scene.y_low) << roof.label;
  }
  ASSERT_EQ(scene.knees.size(), 2U);
  EXPECT_DOUBLE_EQ(scene.knees[0].x, 5);
}

TEST(RooflineSceneTest, ARoofNeedsBothItsSides) {
  Ceilings ceilings;
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)empty_scene(ceilings); }),
              HasSubstr("compute"));
  ceilings.compute[index_of(ComputePath::Fp32)] = FlopPerSecond{100e9};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)empty_scene(ceilings); }),
              HasSubstr("compute"));
}

}  // namespace
}  // namespace ridgeline
