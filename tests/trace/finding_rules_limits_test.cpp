#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/bound.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;
using testing::Not;

// A step of a tenth of a second on a GPU.
ProfileFacts with_limits(double work, double traffic) {
  return {.on_gpu = true,
          .steps = 5,
          .step = Seconds{0.1},
          .work = Flop{work},
          .traffic = Bytes{traffic},
          .peak = FlopPerSecond{100e12},
          .bandwidth = BytesPerSecond{1e12}};
}

TEST(BoundTest, APeakBelowWhatTheStepReachesJudgesNothing) {
  ProfileFacts facts = with_limits(160e12, 1e9);
  EXPECT_FALSE(bound_of(facts));
  facts.busy = 0.9;
  EXPECT_EQ(bound_of(facts)->bound, Bound::Device);
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("1600 %")));
  EXPECT_THAT(findings_text(facts), HasSubstr("roofline peaks --refresh"));
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("Winograd")));
  facts.ops.push_back(
      {.name = "aten::convolution", .kind = OpKind::Convolution, .time = Seconds{0.05}});
  EXPECT_THAT(findings_text(facts), HasSubstr("or convolutions take fewer FLOPs"));
}

TEST(MfuTest, IsWorkOverTimeOverThePeak) {
  EXPECT_DOUBLE_EQ(*mfu_of(with_limits(5e12, 1)), 0.5);
  EXPECT_FALSE(mfu_of(with_limits(5e13, 1))) << "a step above the peak says the peak is wrong";
  ProfileFacts facts = with_limits(5e12, 1);
  facts.peak.reset();
  EXPECT_FALSE(mfu_of(facts));
}

TEST(FindingsTest, ACostThatItsIntervalRefutesIsNoise) {
  ProfileFacts facts{.on_gpu = true, .steps = 5, .step = Seconds{0.1}};
  facts.cost = ProfilingCost{.time_ratio = 1.5, .low = 0.298, .high = 8.636};
  EXPECT_THAT(findings_text(facts), HasSubstr("cannot be told apart from noise (0.30x to 8.64x)"));
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("1.50x")));
  facts.cost = ProfilingCost{.time_ratio = 1.5};
  EXPECT_THAT(findings_text(facts), HasSubstr("cannot be told from so few steps"));
}

}  // namespace
}  // namespace ridgeline
