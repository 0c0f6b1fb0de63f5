#include "trace/bound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/made_facts.h"

namespace ridgeline {
namespace {

using testing::bare;
using ::testing::HasSubstr;
using testing::op;
using testing::with_communication;
using testing::with_limits;
using testing::with_ops;

TEST(BoundTest, DataComesBeforeLaunchesAndLaunchesBeforeTheLimits) {
  ProfileFacts facts = with_limits(8e12, 1e9);
  EXPECT_EQ(bound_of(facts)->bound, Bound::Compute);
  facts.busy = 0.5;
  EXPECT_EQ(bound_of(facts)->bound, Bound::Launch);
  EXPECT_THAT(bound_of(facts)->evidence, HasSubstr("was not recorded"));
  facts.data = DataFacts{.wait = Seconds{0.001}, .compute = Seconds{0.099}};
  EXPECT_THAT(bound_of(facts)->evidence, HasSubstr("hardly any"));
  facts.data = DataFacts{.wait = Seconds{0.03}, .compute = Seconds{0.07}};
  EXPECT_EQ(bound_of(facts)->bound, Bound::Data);
}

TEST(BoundTest, CommunicationThatNothingHidesBindsBeforeLaunches) {
  ProfileFacts facts = with_communication(0.05, 0.03);
  facts.busy = 0.5;
  EXPECT_EQ(bound_of(facts)->bound, Bound::Communication);
  facts = with_communication(0.05, 0.01);
  facts.busy = 0.5;
  EXPECT_EQ(bound_of(facts)->bound, Bound::Launch);
}

TEST(BoundTest, ABusyDeviceBindsWhereItsLimitsAreNotKnown) {
  ProfileFacts facts = with_ops({op("aten::mm", 0.06), op("aten::add", 0.02)});
  facts.busy = 0.96;
  ASSERT_TRUE(bound_of(facts));
  EXPECT_EQ(bound_of(facts)->bound, Bound::Device);
  EXPECT_THAT(bound_of(facts)->evidence, HasSubstr("works 96.0 % of the step, 75 % of the time"));
  facts.busy.reset();
  EXPECT_FALSE(bound_of(facts));
}

TEST(BoundTest, TrafficThatDoesNotFitIntoTheStepIsServedByCaches) {
  const auto verdict = bound_of(with_limits(1e12, 0.3e12));
  EXPECT_EQ(verdict->bound, Bound::Neither);
  EXPECT_THAT(verdict->evidence, HasSubstr("300 %, more than fits: caches serve part of it"));
  EXPECT_EQ(bound_of(with_limits(6e12, 0.3e12))->bound, Bound::Compute);
}

TEST(BoundTest, WhatIsComputedTwiceBindsThoughNoMfuIsOfIt) {
  ProfileFacts facts = with_limits(3e12, 1e9);
  EXPECT_EQ(bound_of(facts)->bound, Bound::Neither);
  facts.executed = Flop{6e12};
  EXPECT_EQ(bound_of(facts)->bound, Bound::Compute);
  EXPECT_THAT(bound_of(facts)->evidence, HasSubstr("would take 60 %"));
  EXPECT_DOUBLE_EQ(*mfu_of(facts), 0.3);
  facts.executed = Flop{12e12};
  EXPECT_THAT(bound_of(facts)->evidence, HasSubstr("would take 30 %")) << "more than fits";
}

TEST(BoundTest, TheNearerLimitBindsAndAFarOneDoesNot) {
  EXPECT_EQ(bound_of(with_limits(1e12, 0.08e12))->bound, Bound::Memory);
  EXPECT_EQ(bound_of(with_limits(1e12, 0.01e12))->bound, Bound::Neither);
  EXPECT_EQ(bound_of(bare()), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
