#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

const OpInput kMap = tensor({2, 8, 4, 4});  // 256 numbers
const OpInput kChannel = tensor({8});

TEST(OpCostNormalisationTest, TheMapIsReadAndWrittenWithItsChannels) {
  const auto forward = work_of("aten::native_batch_norm", {kMap, kChannel, kChannel, kChannel,
                                                           kChannel, value(1), none(), none()});
  EXPECT_EQ(flop_of(forward), 6 * 256);
  EXPECT_EQ(bytes_of(forward), 4 * (2 * 256 + 4 * 8));
}

TEST(OpCostNormalisationTest, TheBackwardReadsGradientAndInputAndWritesOne) {
  const auto native =
      work_of("aten::native_batch_norm_backward",
              {kMap, kMap, kChannel, kChannel, kChannel, kChannel, kChannel, value(1)});
  EXPECT_EQ(flop_of(native), 9 * 256);
  EXPECT_EQ(bytes_of(native), 4 * (3 * 256 + 5 * 8));
}

TEST(OpCostNormalisationTest, OurFusedOneReadsTheResidualToo) {
  const auto alone = work_of("ridgeline::batch_norm", {kMap, kChannel, kChannel, none()});
  const auto added = work_of("ridgeline::batch_norm", {kMap, kChannel, kChannel, kMap});
  EXPECT_EQ(bytes_of(added) - bytes_of(alone), 4 * 256);
}

TEST(OpCostNormalisationTest, RmsNormIsCheaperAndMayBeComposed) {
  const auto rms = work_of("aten::_fused_rms_norm", {tensor({4, 16}), list({16}), tensor({16})});
  EXPECT_EQ(flop_of(rms), 4 * 64);
  EXPECT_EQ(bytes_of(rms), 4 * (2 * 64 + 16));
  EXPECT_EQ(role_of_op("aten::_fused_rms_norm"), OpRole::Delegates);
}

}  // namespace
}  // namespace ridgeline
