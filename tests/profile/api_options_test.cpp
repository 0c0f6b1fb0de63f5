#include "profile/api_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

std::string refusal(const char* variable, const ProfileOptions& options = {}) {
  try {
    (void)effective_options(options, variable);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    return error.what();
  }
  return "accepted";
}

TEST(ApiOptionsTest, WithoutTheVariableTheProgramsOwnOptionsStand) {
  ProfileOptions mine;
  mine.out = "prof";
  mine.steps = 7;
  for (const char* variable : {static_cast<const char*>(nullptr), "", "on", "1"}) {
    const auto options = effective_options(mine, variable);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->out, "prof");
    EXPECT_EQ(options->steps, 7);
  }
}

TEST(ApiOptionsTest, AProgramCanLeaveTheChoiceToTheVariable) {
  ProfileOptions mine;
  mine.enabled_by_environment = true;
  EXPECT_FALSE(effective_options(mine, nullptr));
  EXPECT_FALSE(effective_options(mine, ""));
  EXPECT_TRUE(effective_options(mine, "on"));
  EXPECT_TRUE(effective_options(mine, "steps=2"));
}

TEST(ApiOptionsTest, OffForbidsAProfileThatTheProgramWants) {
  EXPECT_FALSE(effective_options({}, "off"));
  EXPECT_FALSE(effective_options({}, "0"));
}

TEST(ApiOptionsTest, EverySettingCanBeGiven) {
  const auto options = effective_options(
      {},
      "out=a/b=c,title=my run,wait=0,warmup=2,steps=5,repeat=3,cost_pairs=0,shapes=1,memory=on,"
      "trace_limit=5MB,top=4,quiet=true");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->out, "a/b=c");
  EXPECT_EQ(options->title, "my run");
  EXPECT_EQ(options->wait, 0);
  EXPECT_EQ(options->warmup, 2);
  EXPECT_EQ(options->steps, 5);
  EXPECT_EQ(options->repeat, 3);
  EXPECT_EQ(options->cost_pairs, 0);
  EXPECT_TRUE(options->shapes && options->memory && options->quiet);
  EXPECT_DOUBLE_EQ(options->trace_limit, 5e6);
  EXPECT_EQ(options->top, 4);
}

TEST(ApiOptionsTest, ASwitchCanBeTurnedOffAgain) {
  ProfileOptions mine;
  mine.shapes = true;
  EXPECT_FALSE(effective_options(mine, "shapes=0")->shapes);
}

TEST(ApiOptionsTest, WhatCannotBeMeantIsRefusedByName) {
  EXPECT_THAT(refusal("shape=1"), HasSubstr("did you mean 'shapes'"));
  EXPECT_THAT(refusal("steps"), HasSubstr("'steps' is no setting"));
  EXPECT_THAT(refusal("steps="), HasSubstr("steps= lacks its value"));
  EXPECT_THAT(refusal("steps=5x"), HasSubstr("steps=5x"));
  EXPECT_THAT(refusal("steps=0"), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal("steps=99999999999999999999"), HasSubstr("from 1 to"));
  EXPECT_THAT(refusal("wait=-1"), HasSubstr("wait=-1"));
  EXPECT_THAT(refusal("memory=maybe"), HasSubstr("memory=maybe"));
  EXPECT_THAT(refusal("trace_limit=much"), HasSubstr("trace_limit"));
  EXPECT_THAT(refusal("steps=1,steps=2"), HasSubstr("steps is set twice"));
  EXPECT_THAT(refusal("steps=1,,wait=2"), HasSubstr("'' is no setting"));
}

TEST(ApiOptionsTest, TheProgramsOwnNumbersAreCheckedToo) {
  ProfileOptions mine;
  mine.steps = 0;
  EXPECT_THAT(refusal(nullptr, mine), HasSubstr("steps=0"));
  mine.steps = 1;
  mine.trace_limit = -1;
  EXPECT_THAT(refusal(nullptr, mine), HasSubstr("trace_limit"));
}

}  // namespace
}  // namespace ridgeline
