#include "cuda/counter_refusal.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

std::string refusal(CUptiResult result) {
  try {
    require_counters(result, "opening the hardware counters");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Device);
    return error.what();
  }
  return "";
}

TEST(CounterRefusalTest, SaysWhatWouldPermitThem) {
  EXPECT_THAT(refusal(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
              HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(refusal(CUPTI_ERROR_HARDWARE_BUSY), HasSubstr("another program holds"));
  EXPECT_THAT(refusal(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED),
              HasSubstr("another profiler"));
  EXPECT_THAT(refusal(CUPTI_ERROR_NOT_SUPPORTED), HasSubstr("this chip"));
  EXPECT_THAT(refusal(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED), HasSubstr("shared out"));
}

TEST(CounterRefusalTest, WhatIsNotForeseenHasCuptisOwnWords) {
  EXPECT_THAT(refusal(CUPTI_ERROR_QUEUE_EMPTY), HasSubstr("opening the hardware counters"));
  EXPECT_EQ(refusal(CUPTI_SUCCESS), "");
}

}  // namespace
}  // namespace ridgeline
