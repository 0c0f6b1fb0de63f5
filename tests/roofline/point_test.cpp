#include "roofline/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

RooflinePoint made(std::string label, double ms, double flop, double bytes) {
  RooflinePoint point{.label = std::move(label), .time = Seconds{ms / 1e3}};
  point.flop[index_of(ComputePath::Fp32)] = Flop{flop};
  point.bytes[index_of(MemoryLevel::Dram)] = Bytes{bytes};
  return point;
}

TEST(PointTest, IntensityAndRateAreQuotientsThatMayNotExist) {
  const RooflinePoint point = made("k", 2, 1e9, 1e8);
  EXPECT_DOUBLE_EQ(point.intensity(MemoryLevel::Dram)->value, 10);
  EXPECT_DOUBLE_EQ(point.rate()->value, 5e11);
  EXPECT_FALSE(point.intensity(MemoryLevel::L2));
  EXPECT_FALSE(made("k", 0, 1, 0).intensity(MemoryLevel::Dram));
  EXPECT_FALSE(made("k", 0, 1, 0).rate());
}

TEST(PointTest, TheMainPathHasMostFlops) {
  RooflinePoint point = made("k", 1, 5, 1);
  point.flop[index_of(ComputePath::TensorBf16)] = Flop{7};
  EXPECT_EQ(point.main_path(), ComputePath::TensorBf16);
  EXPECT_EQ(RooflinePoint{}.main_path(), ComputePath::Fp32);
}

TEST(PointTest, GroupsAddUpLongestFirst) {
  RooflinePoint a = made("a", 1, 10, 100);
  a.kind = OpKind::Matmul;
  a.sm_percent = 80;
  RooflinePoint b = made("b", 5, 1, 1);
  RooflinePoint c = made("a", 3, 30, 300);
  c.kind = OpKind::Matmul;
  c.sm_percent = 40;
  const auto groups = grouped({a, b, c}, PointGrouping::Kernel);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].label, "b");
  EXPECT_EQ(groups[1].calls, 2U);
  EXPECT_DOUBLE_EQ(groups[1].total_flop().count, 40);
  EXPECT_DOUBLE_EQ(groups[1].of(MemoryLevel::Dram)->count, 400);
  EXPECT_DOUBLE_EQ(groups[1].sm_percent.value(), 50);  // weighted by time
  EXPECT_EQ(grouped({a, b, c}, PointGrouping::Kind).size(), 2U);
  EXPECT_EQ(grouped({a, b, c}, PointGrouping::Launch).size(), 3U);
  EXPECT_EQ(grouped({a, b, c}, PointGrouping::Phase).front().label, "no range");
}

TEST(PointTest, AGroupIsOfTheKindThatTakesMostOfItsTime) {
  std::vector<RooflinePoint> points{made("a", 1, 1, 1), made("b", 3, 1, 1), made("c", 9, 0, 0)};
  points[0].kind = OpKind::Matmul;
  points[1].kind = OpKind::Convolution;
  points[2].kind = OpKind::Copy;
  points[2].by_shapes = true;  // overhead
  for (RooflinePoint& point : points) point.phase = "forward";
  EXPECT_EQ(grouped(points, PointGrouping::Phase).front().kind, OpKind::Convolution);
  EXPECT_EQ(grouped(points, PointGrouping::Total).front().kind, OpKind::Other);
  EXPECT_EQ(grouped({points[2]}, PointGrouping::Phase).front().kind, OpKind::Copy);
}

TEST(PointTest, BytesThatOnlySomeCountedAreAbsentFromTheSum) {
  RooflinePoint a = made("a", 1, 1, 1);
  a.bytes[index_of(MemoryLevel::L2)] = Bytes{5};
  const RooflinePoint total = total_of({a, made("b", 1, 1, 1)}, "all");
  EXPECT_EQ(total.label, "all");
  EXPECT_FALSE(total.of(MemoryLevel::L2));
  EXPECT_DOUBLE_EQ(total.of(MemoryLevel::Dram)->count, 2);
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)total_of({}, "x"); }),
              testing::HasSubstr("no points"));
}

TEST(PointTest, UnknownGroupingsAreRefusedWithTheNearest) {
  EXPECT_EQ(point_grouping("phase"), PointGrouping::Phase);
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)point_grouping("kernle"); }),
              testing::HasSubstr("did you mean 'kernel'"));
}

TEST(PointTest, KernelNamesAreCutToWhatTellsThemApart) {
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<(int)4, "
                              "at::native::CUDAFunctorOnSelf_add<float>>(int, T2)"),
            "CUDAFunctorOnSelf_add in vectorized_elementwise_kernel");
  EXPECT_EQ(short_kernel_name("void at::native::<unnamed>::max_pool_forward_nchw<float>(int)"),
            "max_pool_forward_nchw");
  EXPECT_EQ(short_kernel_name("void (anonymous namespace)::softmax_warp_forward<float>(T1 *)"),
            "softmax_warp_forward");
  EXPECT_EQ(short_kernel_name("void cudnn::bn_fw_tr_1C11_singleread<float, (int)512>(x)"),
            "bn_fw_tr_1C11_singleread");
  EXPECT_EQ(short_kernel_name("ampere_sgemm_32x32_sliced1x4_tn"),
            "ampere_sgemm_32x32_sliced1x4_tn");
  EXPECT_EQ(short_kernel_name("aten::_scaled_dot_product_flash_attention_for_cpu_backward"),
            "sdpa_flash_for_cpu_backward");
  EXPECT_EQ(short_kernel_name("aten::convolution_backward"), "convolution_backward");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("<unnamed"), "<unnamed");
}

TEST(PointTest, OnlyNamesOfKernelsAndOpsAreShortened) {
  RooflinePoint kernel{.label = "void cudnn::bn_fw<float>(x)",
                       .phase = "step/user::part (1)",
                       .kind = OpKind::Matmul,
                       .time = Seconds{1}};
  const RooflinePoint nowhere{.label = "aten::mm", .kind = OpKind::Matmul, .time = Seconds{1}};
  const std::vector<RooflinePoint> points{kernel, nowhere};
  const auto labels = [&](PointGrouping grouping) {
    std::vector<std::string> texts;
    for (const RooflinePoint& point : grouped(points, grouping))
      texts.push_back(short_label(point));
    return texts;
  };
  using testing::ElementsAre;
  EXPECT_THAT(labels(PointGrouping::Launch), ElementsAre("bn_fw", "mm"));
  EXPECT_THAT(labels(PointGrouping::Kernel), ElementsAre("bn_fw", "mm"));
  EXPECT_THAT(labels(PointGrouping::Kind), ElementsAre("matrix products"));
  EXPECT_THAT(labels(PointGrouping::Phase), ElementsAre("step/user::part (1)", "no range"));
  EXPECT_THAT(labels(PointGrouping::Total), ElementsAre("total"));
  EXPECT_EQ(short_label(total_of(points, "all 16")), "all 16");
}

TEST(PointTest, AGroupTellsItsLargestShapes) {
  std::vector<RooflinePoint> points;
  for (const auto& [detail, time] :
       {std::pair{"[4]", 1.0}, {"[8]", 5.0}, {"[2]", 2.0}, {"[1]", 0.5}, {"[8]", 1.5}})
    points.push_back({.label = "aten::mm", .detail = detail, .calls = 2, .time = Seconds{time}});
  const RooflinePoint group = grouped(points, PointGrouping::Kernel).front();
  EXPECT_THAT(group.shapes,
              testing::ElementsAre("[8]: 65 % of it in 4 calls", "[2]: 20 % of it in 2 calls",
                                   "[4]: 10 % of it in 2 calls", "and 1 more shapes"));
  EXPECT_TRUE(grouped({points[0]}, PointGrouping::Kernel).front().shapes.empty());
}

}  // namespace
}  // namespace ridgeline
