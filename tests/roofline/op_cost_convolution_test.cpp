#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

// ResNet's stem on 32 pixels: 7 x 7, stride 2, padding 3 gives 16 x 16.
constexpr double kStem = 2.0 * 8 * 64 * 16 * 16 * 3 * 7 * 7;
constexpr double kStemBytes = 4.0 * (8 * 3 * 32 * 32 + 64 * 3 * 7 * 7 + 8 * 64 * 16 * 16);

TEST(OpCostConvolutionTest, EveryBackendsArgumentsGiveTheSame) {
  const OpInput x = tensor({8, 3, 32, 32});
  const OpInput weight = tensor({64, 3, 7, 7});
  const auto mkldnn = work_of("aten::mkldnn_convolution", {x, weight, none(), list({3, 3}),
                                                           list({2, 2}), list({1, 1}), value(1)});
  EXPECT_EQ(flop_of(mkldnn), kStem);
  EXPECT_EQ(bytes_of(mkldnn), kStemBytes);
  const auto cudnn = work_of("aten::cudnn_convolution",
                             {x, weight, list({3, 3}), list({2, 2}), list({1, 1}), value(1)});
  EXPECT_EQ(flop_of(cudnn), kStem);
  const auto general = work_of("aten::convolution", {x, weight, none(), list({2, 2}), list({3, 3}),
                                                     list({1, 1}), value(0), list({0, 0})});
  EXPECT_EQ(flop_of(general), kStem);
  EXPECT_EQ(bytes_of(general), kStemBytes);
  const auto slow = work_of("aten::_slow_conv2d_forward",
                            {x, weight, list({7, 7}), none(), list({2, 2}), list({3, 3})});
  EXPECT_EQ(flop_of(slow), kStem);
}

TEST(OpCostConvolutionTest, GroupsHaveFewerWeightsAndSoLessWork) {
  const auto depthwise =
      work_of("aten::mkldnn_convolution", {tensor({1, 8, 4, 4}), tensor({8, 1, 3, 3}), tensor({8}),
                                           list({1}), list({1}), list({1}), value(8)});
  EXPECT_EQ(flop_of(depthwise), 2 * 8 * 16 * 9 + 8 * 16);
}

TEST(OpCostConvolutionTest, TheBackwardCountsTheGradientsThatAreAskedFor) {
  const auto backward = [](std::int64_t input, std::int64_t weight, std::int64_t bias) {
    return work_of("aten::convolution_backward",
                   {tensor({8, 64, 16, 16}), tensor({8, 3, 32, 32}), tensor({64, 3, 7, 7}), none(),
                    list({2, 2}), list({3, 3}), list({1, 1}), value(0), list({0, 0}), value(1),
                    list({input, weight, bias})});
  };
  EXPECT_EQ(flop_of(backward(1, 1, 0)), 2 * kStem);
  EXPECT_EQ(flop_of(backward(0, 1, 0)), kStem);
  EXPECT_EQ(bytes_of(backward(0, 1, 0)), kStemBytes);
  EXPECT_EQ(flop_of(backward(0, 0, 1)), 8.0 * 64 * 16 * 16);
}

TEST(OpCostConvolutionTest, WithoutItsValuesThereIsNoCost) {
  EXPECT_FALSE(work_of("aten::mkldnn_convolution", {tensor({8, 3, 32, 32}), tensor({64, 3, 7, 7}),
                                                    none(), none(), none(), none(), none()}));
}

}  // namespace
}  // namespace ridgeline
