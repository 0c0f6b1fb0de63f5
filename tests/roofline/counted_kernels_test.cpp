#include "roofline/counted_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

RooflinePoint launch(const std::string& name, double flop, double bytes) {
  RooflinePoint point{.label = name, .time = Seconds{1e-3}};
  point.flop[index_of(ComputePath::Fp32)] = {flop};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{bytes};
  point.by_shapes = true;
  return point;
}

CountedKernel counted(const std::string& name, double flop, double bytes) {
  CountedKernel kernel{.name = name};
  kernel.flop[index_of(ComputePath::Fp32)] = Flop{0};
  kernel.flop[index_of(ComputePath::TensorBf16)] = Flop{flop};
  kernel.bytes[index_of(MemoryLevel::Dram)] = Bytes{bytes};
  kernel.bytes[index_of(MemoryLevel::L2)] = Bytes{3 * bytes};
  return kernel;
}

JoinedKernels joined_by_name(const std::vector<RooflinePoint>& launches,
                             const std::vector<CountedKernel>& kernels) {
  std::vector<std::string> names;
  for (const RooflinePoint& point : launches) names.push_back(point.label);
  return join_counters(names, launches, kernels);
}

std::string refusal(const std::vector<RooflinePoint>& launches,
                    const std::vector<CountedKernel>& kernels) {
  try {
    (void)joined_by_name(launches, kernels);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(CountedKernelsTest, CountersTakeThePlaceOfShapesAndTimesStay) {
  const auto joined = joined_by_name({launch("a", 10, 100), launch("b", 20, 100)},
                                     {counted("a", 12, 150), counted("b", 24, 250)});
  ASSERT_EQ(joined.points.size(), 2U);
  const RooflinePoint& first = joined.points.front();
  EXPECT_EQ(first.flop[index_of(ComputePath::Fp32)].count, 0);
  EXPECT_EQ(first.flop[index_of(ComputePath::TensorBf16)].count, 12);
  EXPECT_EQ(first.of(MemoryLevel::L2)->count, 450);
  EXPECT_FALSE(first.by_shapes);
  EXPECT_EQ(first.time, Seconds{1e-3});
  EXPECT_EQ(joined.without_counters, 0U);
  EXPECT_EQ(joined.traffic_ratio(), 2.0);
}

TEST(CountedKernelsTest, OtherKernelsAreRefusedWithTheirPlace) {
  EXPECT_THAT(
      refusal({launch("a", 1, 1), launch("b", 1, 1)}, {counted("a", 1, 1), counted("c", 1, 1)}),
      testing::AllOf(HasSubstr("launch 2"), HasSubstr("c"), HasSubstr("b")));
  EXPECT_THAT(refusal({launch("a", 1, 1)}, {counted("a", 1, 1), counted("b", 1, 1)}),
              testing::AllOf(HasSubstr("2 kernels"), HasSubstr("up to launch 1")));
}

TEST(CountedKernelsTest, AKernelWithoutCountersKeepsItsShapesAndIsCounted) {
  const auto joined = joined_by_name({launch("a", 10, 100), launch("b", 20, 100)},
                                     {CountedKernel{.name = "a"}, counted("b", 24, 300)});
  EXPECT_EQ(joined.without_counters, 1U);
  EXPECT_TRUE(joined.points[0].by_shapes);
  EXPECT_EQ(joined.points[0].total_flop().count, 10);
  EXPECT_EQ(joined.traffic_ratio(), 3.0);
}

TEST(CountedKernelsTest, APartOfAKernelsCountersIsNotTheKernel) {
  CountedKernel partial = counted("a", 12, 150);
  partial.is_partial = true;
  const auto joined = joined_by_name({launch("a", 10, 100)}, {partial});
  EXPECT_EQ(joined.without_counters, 1U);
  EXPECT_TRUE(joined.points[0].by_shapes);
  EXPECT_EQ(joined.points[0].total_flop().count, 10);
}

TEST(CountedKernelsTest, ALaunchWhoseUnitHasNoCounterKeepsItsShapes) {
  RooflinePoint product = launch("a", 0, 100);
  product.flop[index_of(ComputePath::TensorFp16)] = {10};
  const auto joined = joined_by_name({product}, {counted("a", 0, 150)});
  EXPECT_EQ(joined.without_counters, 1U);
  EXPECT_TRUE(joined.points[0].by_shapes);
  EXPECT_EQ(joined.points[0].total_flop().count, 10);
}

TEST(CountedKernelsTest, ATotalThatOneKernelLacksIsAbsent) {
  CountedKernel first = counted("a", 1, 1);
  CountedKernel second = counted("b", 1, 1);
  first.totals = {.fadd = 3, .ffma = 5, .dram_read = Bytes{7}};
  second.totals = {.fadd = 4, .dram_read = Bytes{8}};
  const auto joined = joined_by_name({launch("a", 1, 1), launch("b", 1, 1)}, {first, second});
  EXPECT_EQ(joined.totals.fadd, 7);
  EXPECT_EQ(joined.totals.dram_read->count, 15);
  EXPECT_FALSE(joined.totals.ffma.has_value());
}

TEST(CountedKernelsTest, WithoutAnyTrafficThereIsNoRatio) {
  EXPECT_EQ(join_counters({}, {}, {}).traffic_ratio(), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
