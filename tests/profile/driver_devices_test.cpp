#include "profile/driver_devices.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(DriverDevicesTest, WhatTheDriverAnswersForIsDescribed) {
  const auto devices = driver_devices({1, 7}, RIDGELINE_FAKE_CUDA_DRIVER);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].id, 1U);
  EXPECT_EQ(devices[0].name, "Fake H100");
  EXPECT_EQ(devices[0].total_memory, 80.0 * (1 << 30));
  EXPECT_EQ(devices[0].compute_major, 9);
  EXPECT_EQ(devices[0].compute_minor, 0);
  EXPECT_EQ(devices[0].multiprocessors, 132);
}

TEST(DriverDevicesTest, WithoutADriverOrADeviceThereIsNone) {
  EXPECT_TRUE(driver_devices({0}, "/no/such/libcuda.so.1").empty());
  EXPECT_TRUE(driver_devices({}, RIDGELINE_FAKE_CUDA_DRIVER).empty());
}

}  // namespace
}  // namespace ridgeline
