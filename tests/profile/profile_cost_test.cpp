#include "profile/profile_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ProfileCostTest, TheSentenceSaysWhenPairsAreTooFew) {
  const ProfileCost few = cost_of({Seconds{1}}, {Seconds{2}});
  EXPECT_DOUBLE_EQ(few.ratio, 2);
  EXPECT_THAT(sentence(few), HasSubstr("too few for an interval"));
  const ProfileCost many = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.5}));
  EXPECT_THAT(sentence(many), HasSubstr("1.500x (from 1.500x to 1.500x, 95 %)"));
}

TEST(ProfileCostTest, TheSentenceSaysWhatWasRecorded) {
  const ProfileCost cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.25}));
  EXPECT_THAT(sentence(cost), StartsWith("Profiling cost 1.250x"));
  EXPECT_THAT(sentence(cost, "Recording ops"), StartsWith("Recording ops cost 1.250x"));
}

}  // namespace
}  // namespace ridgeline
