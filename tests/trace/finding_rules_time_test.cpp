#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/bound.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

ProfileFacts bare() { return {.on_gpu = true, .steps = 5, .step = Seconds{0.1}}; }

TEST(TimeFindingsTest, CopiesSideBySideTakeTheStepsTimeOnce) {
  ProfileFacts facts = bare();
  facts.to_device =
      CopyFacts{.time = Seconds{0.27}, .merged = Seconds{0.09}, .bytes = Bytes{2.7e8}, .count = 3};
  EXPECT_THAT(findings_text(facts),
              HasSubstr("270.00 ms (90.0 % of the step, overlaps counted once), 1.0 GB/s"));
  facts.other_devices = OtherDevices{.devices = 4, .least_busy = 0.5};
  EXPECT_THAT(findings_text(facts),
              HasSubstr("(90.0 % of the step on the device that they take longest on)"));
}

TEST(TimeFindingsTest, ACallInEveryThirdStepIsNotNone) {
  ProfileFacts facts = bare();
  facts.communication =
      CommunicationFacts{.time = Seconds{0.03}, .alone = Seconds{0.015}, .count = 1.0 / 3};
  EXPECT_THAT(findings_text(facts), HasSubstr("0.3 kernels or calls"));
}

TEST(TimeFindingsTest, ADeviceThatWaitsForWhatItHasIsNotBoundByLaunches) {
  ProfileFacts facts = bare();
  facts.busy = 0.2;
  facts.idle = IdleFacts{.queued = Seconds{0.063}, .in_wait = Seconds{0.002}};
  EXPECT_NEAR(launch_idle_share(facts), 0.15, 1e-12);
  ASSERT_TRUE(bound_of(facts));
  EXPECT_EQ(bound_of(facts)->bound, Bound::Queue);
  const std::string text = findings_text(facts);
  EXPECT_THAT(text, HasSubstr("The step is bound by gaps between queued kernels: the device works "
                              "only 20.0 % of the step, and for 63.0 % of it stands idle"));
  EXPECT_THAT(text, HasSubstr("the device waits 15.0 % of the step for launches"));
  EXPECT_THAT(text, HasSubstr("the device is idle 63.0 % of the step before kernels that had been "
                              "launched already"));
  facts.idle->queued = Seconds{0.03};
  EXPECT_EQ(bound_of(facts)->bound, Bound::Launch);
  EXPECT_THAT(findings_text(facts), HasSubstr("for 30.0 % of it the next work has been launched"));
}

}  // namespace
}  // namespace ridgeline
