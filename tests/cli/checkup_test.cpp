#include "cli/checkup.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using State = Check::State;
using testing::HasSubstr;

Environment plain_machine() {
  Environment environment;
  environment.cpu = {.model = "Some CPU",
                     .logical_cores = 4,
                     .physical_cores = 2,
                     .usable_cores = 3,
                     .isa = {"avx2", "fma"}};
  environment.memory = {.total = Bytes{8e9}, .available = Bytes{4e9}};
  environment.no_gpu_reason = "no NVIDIA driver";
  return environment;
}

Environment gpu_machine() {
  Environment environment = plain_machine();
  environment.no_gpu_reason.clear();
  GpuReport gpu;
  gpu.facts.name = "Some GPU";
  gpu.facts.driver = "580.1";
  gpu.facts.cuda_driver = "13.0";
  gpu.facts.sm_count = 132;
  environment.gpus.push_back(gpu);
  return environment;
}

Installation complete() {
  Installation installation;
  installation.torch_version = "2.11.0";
  installation.torch_path = "somewhere/torch";
  installation.has_cuda_plugin = true;
  installation.has_gnuplot = true;
  installation.has_plotly = true;
  return installation;
}

// The check of a topic; a failed expectation and an empty one when it is not listed.
Check about(const std::vector<Check>& checks, const std::string& topic) {
  const auto found = std::ranges::find(checks, topic, &Check::topic);
  if (found != checks.end()) return *found;
  ADD_FAILURE() << "no check about " << topic;
  return {};
}

bool mentions(const std::vector<Check>& checks, const std::string& topic) {
  return std::ranges::find(checks, topic, &Check::topic) != checks.end();
}

TEST(CheckUpTest, WhateverIsNotFineSaysWhatItCostsAndWhatToDo) {
  Environment restless = gpu_machine();
  restless.cpu.governor = "powersave";
  restless.gpus[0].state =
      GpuState{.throttle_reasons = {"heat"}, .foreign_processes = {{.pid = 5}}};
  Installation broken;
  broken.torch_obstacle = "LibTorch not found";
  broken.cuda_obstacle = "needs LibTorch first";
  broken.counters_permitted = false;
  for (const auto& checks : {check_up(plain_machine(), broken), check_up(restless, broken)}) {
    for (const Check& check : checks) {
      EXPECT_FALSE(check.found.empty()) << check.topic;
      EXPECT_EQ(check.cost.empty(), check.state == State::Fine) << check.topic;
      EXPECT_EQ(check.remedy.empty(), check.state == State::Fine) << check.topic;
    }
  }
}

TEST(CheckUpTest, ACompleteMachineMissesNothing) {
  Environment environment = gpu_machine();
  environment.cpu.isa.emplace_back("avx512_bf16");
  environment.cpu.isa.emplace_back("avx512_fp16");
  environment.cpu.governor = "performance";
  for (const Check& check : check_up(environment, complete()))
    EXPECT_EQ(check.state, State::Fine) << check.topic;
}

TEST(CheckUpTest, TheCpuIsDescribed) {
  const Check cpu = about(check_up(plain_machine(), complete()), "CPU");
  EXPECT_THAT(cpu.found, HasSubstr("Some CPU; 2 cores (4 threads, 3 usable); avx2 fma"));
}

TEST(CheckUpTest, Bf16AndFp16AreJudgedEachByItsOwnInstructions) {
  Environment half = plain_machine();
  half.cpu.isa.emplace_back("avx512_fp16");
  EXPECT_EQ(about(check_up(half, complete()), "fp16 on CPU").state, State::Fine);
  EXPECT_EQ(about(check_up(half, complete()), "bf16 on CPU").state, State::Note);
  Environment brain = plain_machine();
  brain.cpu.isa.emplace_back("amx_bf16");
  EXPECT_EQ(about(check_up(brain, complete()), "bf16 on CPU").state, State::Fine);
  EXPECT_THAT(about(check_up(brain, complete()), "fp16 on CPU").cost, HasSubstr("fp16"));
}

TEST(CheckUpTest, AGovernorThatIsNotExposedIsNoFault) {
  EXPECT_EQ(about(check_up(plain_machine(), complete()), "Governor").state, State::Fine);
  Environment saving = plain_machine();
  saving.cpu.governor = "powersave";
  EXPECT_EQ(about(check_up(saving, complete()), "Governor").state, State::Note);
}

TEST(CheckUpTest, WithoutAGpuTheReasonStandsThere) {
  const Check gpu = about(check_up(plain_machine(), complete()), "GPU");
  EXPECT_EQ(gpu.state, State::Missing);
  EXPECT_EQ(gpu.found, "no NVIDIA driver");
}

TEST(CheckUpTest, AGpuIsDescribedWithWhatIsKnown) {
  const Check gpu = about(check_up(gpu_machine(), complete()), "GPU 0");
  EXPECT_THAT(gpu.found, HasSubstr("Some GPU"));
  EXPECT_THAT(gpu.found, HasSubstr("132 SMs"));
  EXPECT_THAT(gpu.found, HasSubstr("driver 580.1 (CUDA 13.0)"));
  EXPECT_THAT(gpu.found, testing::Not(HasSubstr("MHz")));
}

TEST(CheckUpTest, HeldClocksAndNeighboursAreNoted) {
  Environment environment = gpu_machine();
  environment.gpus[0].state = GpuState{.throttle_reasons = {"heat", "power cap"},
                                       .foreign_processes = {{.pid = 5, .name = "python3"}}};
  const auto checks = check_up(environment, complete());
  EXPECT_THAT(about(checks, "Clocks").found, HasSubstr("heat, power cap"));
  EXPECT_THAT(about(checks, "Neighbour").found, HasSubstr("python3 (pid 5)"));
}

TEST(CheckUpTest, TheRemedyForCudaFitsTheObstacle) {
  Installation installation = complete();
  installation.cuda_obstacle = "cannot";
  EXPECT_THAT(about(check_up(plain_machine(), installation), "CUDA").remedy,
              HasSubstr("GPU and its driver"));
  EXPECT_THAT(about(check_up(gpu_machine(), installation), "CUDA").remedy,
              HasSubstr("pip install torch"));
  installation.has_cuda_plugin = false;
  EXPECT_THAT(about(check_up(gpu_machine(), installation), "CUDA").remedy, HasSubstr("nvcc"));
}

TEST(CheckUpTest, CountersAreMentionedOnlyWhereThereIsADriver) {
  Installation installation = complete();
  EXPECT_FALSE(mentions(check_up(gpu_machine(), installation), "GPU counters"));
  installation.counters_permitted = true;
  EXPECT_EQ(about(check_up(gpu_machine(), installation), "GPU counters").state, State::Fine);
  installation.counters_permitted = false;
  EXPECT_EQ(about(check_up(gpu_machine(), installation), "GPU counters").state, State::Missing);
}

TEST(CanRunTest, NothingRunsWithoutLibTorchAndEverythingElseIsOptional) {
  EXPECT_FALSE(can_run({}));
  Installation bare;
  bare.torch_version = "2.11.0";
  EXPECT_TRUE(can_run(bare));
}

TEST(CountersPermittedTest, TheDriversWordOrRootDecides) {
  EXPECT_TRUE(counters_permitted("A: 1\nRmProfilingAdminOnly: 0\nB: 2\n", /*is_root=*/false));
  EXPECT_FALSE(counters_permitted("RmProfilingAdminOnly: 1\n", /*is_root=*/false));
  EXPECT_FALSE(counters_permitted("", /*is_root=*/false));
  EXPECT_TRUE(counters_permitted("RmProfilingAdminOnly: 1\n", /*is_root=*/true));
}

}  // namespace
}  // namespace ridgeline
