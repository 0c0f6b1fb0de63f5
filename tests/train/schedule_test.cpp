#include "train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

TEST(ScheduleTest, WarmUpClimbsInEqualStepsToThePeak) {
  const Schedule schedule{
      .kind = ScheduleKind::Constant, .peak = 1, .total_steps = 10, .warmup_steps = 4};
  EXPECT_DOUBLE_EQ(rate_at(schedule, 0), 0.25);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 3), 1.0);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 9), 1.0);
}

TEST(ScheduleTest, CosineStartsAtThePeakAndEndsNearZero) {
  const Schedule schedule{
      .kind = ScheduleKind::Cosine, .peak = 0.1, .total_steps = 110, .warmup_steps = 10};
  EXPECT_DOUBLE_EQ(rate_at(schedule, 10), 0.1);
  EXPECT_NEAR(rate_at(schedule, 60), 0.05, 1e-12);
  EXPECT_GT(rate_at(schedule, 109), 0);
  EXPECT_LT(rate_at(schedule, 109), 1e-4);
}

TEST(ScheduleTest, LinearFallsInEqualStepsToZero) {
  const Schedule schedule{
      .kind = ScheduleKind::Linear, .peak = 0.1, .total_steps = 110, .warmup_steps = 10};
  EXPECT_DOUBLE_EQ(rate_at(schedule, 9), 0.1);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 10), 0.1);
  EXPECT_NEAR(rate_at(schedule, 60), 0.05, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 109), 0.001, 1e-12);
}

TEST(ScheduleTest, AWarmUpDoesNotPutOffTheDrops) {
  const Schedule schedule{.kind = ScheduleKind::Step,
                          .peak = 1,
                          .total_steps = 30,
                          .warmup_steps = 4,
                          .drop_every = 10,
                          .drop_factor = 0.1};
  EXPECT_DOUBLE_EQ(rate_at(schedule, 9), 1);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 10), 0.1);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 20), 0.01);
}

TEST(ScheduleTest, StepDropsAtItsMultiples) {
  const Schedule schedule{.kind = ScheduleKind::Step,
                          .peak = 1,
                          .total_steps = 30,
                          .drop_every = 10,
                          .drop_factor = 0.1};
  EXPECT_DOUBLE_EQ(rate_at(schedule, 9), 1);
  EXPECT_DOUBLE_EQ(rate_at(schedule, 10), 0.1);
  EXPECT_NEAR(rate_at(schedule, 29), 0.01, 1e-15);
}

// torch.optim.lr_scheduler.OneCycleLR(max_lr=1, total_steps=10): its rates, step by step.
TEST(ScheduleTest, OneCycleGivesTorchsRates) {
  const Schedule schedule{.kind = ScheduleKind::OneCycle, .peak = 1, .total_steps = 10};
  EXPECT_NEAR(rate_at(schedule, 0), 0.04, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 1), 0.52, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 2), 1.0, 1e-12);
  EXPECT_NEAR(rate_at(schedule, 9), 4e-6, 1e-12);
}

TEST(ScheduleTest, RatesAreThoseOfEveryStep) {
  const Schedule schedule{.kind = ScheduleKind::Cosine, .peak = 0.3, .total_steps = 7};
  const auto rates = rates_of(schedule);
  ASSERT_EQ(rates.size(), 7U);
  for (std::int64_t step = 0; step < 7; ++step)
    EXPECT_FLOAT_EQ(rates[static_cast<std::size_t>(step)],
                    static_cast<float>(rate_at(schedule, step)));
}

TEST(ScheduleTest, UnknownWordsNameTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_schedule("cosinus"); }),
              HasSubstr("'cosine'"));
}

TEST(ScheduleTest, ARateThatIsNoRateIsRefused) {
  (void)message_of(Fault::BadInput, [] { validate({.peak = 0}); });
  (void)message_of(Fault::BadInput, [] { validate({.peak = -1}); });
  (void)message_of(Fault::BadInput,
                   [] { validate({.peak = std::numeric_limits<double>::infinity()}); });
}

}  // namespace
}  // namespace ridgeline
