#include "core/nvml.h"

#include <gmock/gmock.h>
#include <unistd.h>

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Runs against fake_nvml.cpp, which this program finds before the driver's library.
class NvmlTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(nvml_) << why_not_; }
  std::string why_not_;
  std::optional<Nvml> nvml_ = Nvml::load(&why_not_);
};

TEST_F(NvmlTest, FactsOfAGpuAreRead) {
  const std::vector<GpuFacts> gpus = nvml_->gpus();
  ASSERT_THAT(gpus, SizeIs(2));
  EXPECT_EQ(gpus[0].name, "Fake H100");
  EXPECT_EQ(gpus[0].driver, "580.65.06");
  EXPECT_EQ(gpus[0].cuda_driver, "13.2");
  EXPECT_EQ(gpus[0].memory_total, Bytes{80.0 * (1 << 30)});
  EXPECT_EQ(gpus[0].memory_free, Bytes{70.0 * (1 << 30)});
  EXPECT_EQ(gpus[0].sm_count, 132);
}

TEST_F(NvmlTest, WhatADriverOrGpuLacksIsAbsent) {
  const std::vector<GpuFacts> gpus = nvml_->gpus();
  EXPECT_EQ(gpus[0].max_sm_clock_mhz, std::nullopt);  // the fake has no such function
  EXPECT_EQ(gpus[1].sm_count, std::nullopt);
  EXPECT_EQ(nvml_->energy_joules(1), std::nullopt);
  EXPECT_EQ(nvml_->state(1)->power_w, std::nullopt);
}

TEST_F(NvmlTest, StateComesInPlainUnits) {
  const auto state = nvml_->state(0);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->sm_clock_mhz, 1755);
  EXPECT_EQ(state->memory_clock_mhz, 2619);
  EXPECT_EQ(state->power_w, 312.5);
  EXPECT_EQ(state->temperature_c, std::nullopt);
  EXPECT_THAT(state->throttle_reasons, ElementsAre("power cap"));
  EXPECT_EQ(nvml_->energy_joules(0), 123.456);
}

TEST_F(NvmlTest, ActivityIsTheStateWithoutTheProcesses) {
  const auto activity = nvml_->activity(0);
  ASSERT_TRUE(activity);
  EXPECT_EQ(activity->gpu_busy_percent, 73);
  EXPECT_EQ(activity->memory_busy_percent, 41);
  EXPECT_EQ(activity->power_w, nvml_->state(0)->power_w);
  EXPECT_TRUE(activity->foreign_processes.empty());
  EXPECT_EQ(nvml_->activity(1)->gpu_busy_percent, std::nullopt);
  EXPECT_FALSE(nvml_->activity(2));
}

TEST_F(NvmlTest, OurOwnProcessIsNotForeign) {
  const auto processes = nvml_->state(0)->foreign_processes;
  ASSERT_THAT(processes, SizeIs(2));
  EXPECT_EQ(processes[0].pid, ::getppid());
  EXPECT_TRUE(processes[0].name);
  EXPECT_EQ(processes[0].memory, Bytes{2000});
  EXPECT_EQ(processes[1].name, std::nullopt);
  EXPECT_EQ(processes[1].memory, std::nullopt);
}

TEST_F(NvmlTest, AGpuThatIsNotThereHasNoState) {
  EXPECT_FALSE(nvml_->state(2));
  EXPECT_FALSE(nvml_->state(-1));
  EXPECT_EQ(nvml_->energy_joules(99), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
