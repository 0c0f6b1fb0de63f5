#include "trace/analysis_facts.h"

#include <array>

#include <gtest/gtest.h>

#include "trace/made_trace.h"

namespace ridgeline {
namespace {

TEST(AnalysisFactsTest, KernelsStandForOpsWhereNoneIsKnown) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 0, .length = 30'000})
      .device({.name = "vectorized_elementwise_kernel", .start = 60'000, .length = 5'000})
      .device({.name = "vectorized_elementwise_kernel", .start = 95'000, .length = 5'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.on_gpu);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Matmul), 0.75);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Elementwise), 0.25);
  ASSERT_TRUE(facts.kernels);
  EXPECT_EQ(facts.kernels->count, 3);
  EXPECT_EQ(facts.kernels->distinct, 2);
  EXPECT_EQ(facts.kernels->short_ones, 2);
  EXPECT_DOUBLE_EQ(facts.kernels->median.count(), 5e-6);
  ASSERT_TRUE(facts.busy);
  EXPECT_DOUBLE_EQ(*facts.busy, 0.4);
}

MadeTrace::Host step(std::string_view name, std::int64_t start, std::int64_t length) {
  return {.name = name, .start = start, .length = length, .kind = EventKind::UserAnnotation};
}

TEST(AnalysisFactsTest, UtilisationIsOfTheStepsAndNotOfTheSpanOfTheWork) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 1'000'000))
      .launched(1, 100, {.name = "k", .start = 200, .length = 1'800});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_DOUBLE_EQ(facts.step.count(), 1e-3);
  EXPECT_DOUBLE_EQ(*facts.busy, 0.0018) << "the work spans 1.8 µs of a step of 1 ms";
}

TEST(AnalysisFactsTest, PausesBetweenStepsAndWhatIsAskedForInThemDoNotCount) {
  const auto two_steps = [](std::int64_t pause) {
    MadeTrace made;
    for (std::uint32_t i = 0; i < 2; ++i) {
      const std::int64_t t = i * (100'000 + pause);
      made.host(step(i == 0 ? "ProfilerStep#1" : "ProfilerStep#2", t, 100'000))
          .host({.name = "aten::mm", .start = t + 5'000, .length = 1'000})
          .launched(i + 1, t + 5'500, {.name = "gemm", .start = t + 10'000, .length = 80'000});
    }
    if (pause > 0) {  // an evaluation
      made.host({.name = "aten::mm", .start = 105'000, .length = 2'000})
          .launched(9, 106'000, {.name = "gemm", .start = 110'000, .length = 5'000})
          .launched(10, 106'500, {.name = "eval", .start = 120'000, .length = 5'000})
          .device({.name = "Memcpy HtoD (Pinned -> Device)",
                   .start = 130'000,
                   .length = 9'000,
                   .kind = EventKind::Memcpy});
    }
    return facts_of(analyse(made.trace));
  };
  const ProfileFacts without = two_steps(0);
  const ProfileFacts paused = two_steps(900'000);
  EXPECT_DOUBLE_EQ(*without.busy, 0.8);
  EXPECT_DOUBLE_EQ(*paused.busy, 0.8);
  EXPECT_DOUBLE_EQ(paused.step.count(), without.step.count());
  EXPECT_EQ(paused.kernels->count, 1);
  EXPECT_EQ(paused.kernels->distinct, 1);
  EXPECT_FALSE(paused.to_device);
  ASSERT_EQ(paused.ops.size(), 1U);
  EXPECT_EQ(paused.ops[0].calls, 1);
  EXPECT_DOUBLE_EQ(paused.ops[0].time.count(), 80e-6);
}

TEST(AnalysisFactsTest, KernelsThatStandForOpsAreThoseOfTheStepsToo) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100))
      .device({.name = "gemm", .start = 10, .length = 20})
      .device({.name = "gemm", .start = 200, .length = 500});
  EXPECT_DOUBLE_EQ(op_time(facts_of(analyse(made.trace))).count(), 20e-9);
}

TEST(AnalysisFactsTest, WorkThatRunsAfterItsStepStillIsItsOwnButNeverMoreThanAllOfIt) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100))
      .launched(1, 10, {.name = "k", .start = 50, .length = 500});
  EXPECT_DOUBLE_EQ(*facts_of(analyse(made.trace)).busy, 1);
}

TEST(AnalysisFactsTest, ATraceWithoutStepsIsOneOfItsWholeSpan) {
  MadeTrace made;
  made.host({.name = "start-up", .start = 0, .length = 900})
      .device({.name = "k", .start = 900, .length = 100});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_FALSE(facts.marks_steps);
  EXPECT_DOUBLE_EQ(facts.step.count(), 1e-6);
  EXPECT_DOUBLE_EQ(*facts.busy, 0.1);
}

TEST(AnalysisFactsTest, OfSeveralDevicesTheBusiestSpeaks) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100))
      .device({.name = "k", .start = 0, .length = 10})
      .device({.name = "k", .start = 0, .length = 90, .device = 1})
      .device({.name = "k", .start = 0, .length = 50, .device = 2});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_DOUBLE_EQ(*facts.busy, 0.9);
  ASSERT_TRUE(facts.other_devices);
  EXPECT_EQ(facts.other_devices->devices, 3);
  EXPECT_DOUBLE_EQ(facts.other_devices->least_busy, 0.1);
}

TEST(AnalysisFactsTest, ShortKernelsAreCountedByTheirOwnTimeNotByTheirNamesMean) {
  MadeTrace made;
  made.device({.name = "mixed", .start = 0, .length = 1'000'000});
  for (int i = 1; i <= 3; ++i)
    made.device({.name = "mixed", .start = i * 2'000'000, .length = 2'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_EQ(facts.kernels->short_ones, 3);
  EXPECT_DOUBLE_EQ(facts.kernels->median.count(), 2e-6);
}

TEST(AnalysisFactsTest, CommunicationIsSplitIntoWhatComputeHidesAndTheRest) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100))
      .device({.name = "gemm", .start = 0, .length = 40})
      .device({.name = "ncclDevKernel_AllReduce", .start = 30, .length = 40, .stream = 9});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.communication);
  EXPECT_DOUBLE_EQ(facts.communication->time.count(), 40e-9);
  EXPECT_DOUBLE_EQ(facts.communication->alone.count(), 30e-9);
  EXPECT_EQ(facts.communication->count, 1);
}

TEST(AnalysisFactsTest, GloosCallsAreCommunicationOnThreadsOfTheirOwn) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "aten::mm", .start = 0, .length = 20'000});
  for (std::int64_t thread : {2, 3})
    made.host({.name = "gloo:all_reduce",
               .start = 10'000,
               .length = 60'000,
               .kind = EventKind::UserAnnotation,
               .thread = thread});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.communication);
  EXPECT_DOUBLE_EQ(facts.communication->time.count(), 60e-6) << "two threads at once count once";
  EXPECT_DOUBLE_EQ(facts.communication->alone.count(), 50e-6);
  EXPECT_EQ(facts.communication->count, 2);
  EXPECT_EQ(op_time(facts, OpKind::Communication).count(), 0) << "beside the step";
  EXPECT_TRUE(facts.leaves_threads_out);
}

TEST(AnalysisFactsTest, AttentionThatIsFusedIsSeenInTheKernels) {
  MadeTrace made;
  made.host({.name = "aten::attention", .start = 0, .length = 50})
      .launched(1, 10, {.name = "pytorch_flash::flash_fwd_kernel", .start = 20, .length = 10});
  EXPECT_TRUE(facts_of(analyse(made.trace)).fused_attention);
}

TEST(AnalysisFactsTest, CopiesAreNoKernels) {
  MadeTrace made;
  made.device({.name = "gemm", .start = 0, .length = 100})
      .device({.name = "Memcpy HtoD (Pinned -> Device)",
               .start = 200,
               .length = 50,
               .kind = EventKind::Memcpy});
  made.trace.events.set_bytes(1000);
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_EQ(facts.kernels->count, 1);
  ASSERT_TRUE(facts.to_device);
  EXPECT_EQ(facts.to_device->bytes.count, 1000);
  EXPECT_FALSE(facts.on_device);
}

TEST(AnalysisFactsTest, CallsOfPyTorchsLoaderAreTheWaitForData) {
  MadeTrace made;
  made.host({.name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
             .start = 0,
             .length = 60'000,
             .kind = EventKind::UserAnnotation})
      .device({.name = "gemm", .start = 70'000, .length = 30'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.data);
  EXPECT_DOUBLE_EQ(facts.data->wait.count(), 60e-6);
  EXPECT_DOUBLE_EQ(facts.data->compute.count(), 40e-6);
}

TEST(AnalysisFactsTest, WhatTheDeviceDoesDuringAWaitForDataIsKnown) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
             .start = 10'000,
             .length = 30'000,
             .kind = EventKind::UserAnnotation})
      .launched(1, 100, {.name = "gemm", .start = 5'000, .length = 20'000})
      .launched(2, 200, {.name = "gemm", .start = 20'000, .length = 10'000, .stream = 9})
      .launched(3, 50'000, {.name = "gemm", .start = 60'000, .length = 30'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.data);
  EXPECT_DOUBLE_EQ(facts.data->covered.count(), 20e-6);
  EXPECT_DOUBLE_EQ(idle_wait_share(*facts.data), 0.1);
}

TEST(AnalysisFactsTest, LaunchesWithoutDeviceWorkAreNoProgramOfTheHostAlone) {
  MadeTrace made;
  made.host({.name = "aten::mul", .start = 0, .length = 1'000});
  EXPECT_EQ(facts_of(analyse(made.trace)).ops.size(), 1U);
  const auto call = [&](std::string_view name, EventKind kind) {
    made.host({.name = name, .start = 100, .length = 50, .kind = kind});
  };
  call("cudaLaunchKernel", EventKind::Runtime);
  call("cuLaunchKernel", EventKind::Driver);
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_EQ(facts.unseen_launches, 1) << "the one call wraps the other";
  EXPECT_TRUE(facts.ops.empty());
  made.device({.name = "k", .start = 500, .length = 100});
  EXPECT_EQ(facts_of(analyse(made.trace)).unseen_launches, 0);
}

TEST(AnalysisFactsTest, CommunicationOfTheHostIsThatWithinTheSteps) {
  MadeTrace made;
  for (std::int64_t i = 0; i < 3; ++i)
    made.host(step(std::array{"ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"}.at(
                       static_cast<std::size_t>(i)),
                   1'000 * i, 1'000))
        .host({.name = "aten::mm", .start = 1'000 * i + 10, .length = 900});
  made.host({.name = "gloo:all_reduce",
             .start = 100,
             .length = 50'000,
             .kind = EventKind::UserAnnotation,
             .thread = 2});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.communication);
  EXPECT_NEAR(facts.communication->time.count() * 3, 2900e-9, 1e-15);
  EXPECT_NEAR(facts.communication->alone.count() * 3, (2900 - 810 - 1800) * 1e-9, 1e-15);
  EXPECT_DOUBLE_EQ(facts.communication->count * 3, 1);
}

TEST(AnalysisFactsTest, AWaitForDataWithinAnotherIsCountedOnce) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 10'000));
  for (const std::int64_t start : {100, 150})
    made.host({.name = start == 100 ? "enumerate(DataLoader)#_MultiProcessingDataLoaderIter"
                                    : "enumerate(DataLoader)#_SingleProcessDataLoaderIter",
               .start = start,
               .length = start == 100 ? 4'000 : 3'900,
               .kind = EventKind::UserAnnotation});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.data);
  EXPECT_DOUBLE_EQ(wait_share(*facts.data), 0.4);
}

TEST(AnalysisFactsTest, CopiesAtOnceAreMergedByDevice) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 10'000));
  for (const std::int64_t device : {0, 1})
    for (const std::int64_t stream : {7, 8})
      made.device({.name = "Memcpy HtoD (Pinned -> Device)",
                   .start = 100 * stream,
                   .length = 5'000 + 1'000 * device,
                   .kind = EventKind::Memcpy,
                   .stream = stream,
                   .device = device});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_TRUE(facts.to_device);
  EXPECT_DOUBLE_EQ(facts.to_device->time.count(), 22'000e-9);
  EXPECT_DOUBLE_EQ(facts.to_device->merged.count(), 6'100e-9);
}

TEST(AnalysisFactsTest, OfSeveralDevicesTheOneWithTheHighestPeakIsNamed) {
  TraceAnalysis analysis;
  analysis.kernels = {{.name = "k"}};
  analysis.memory = {{.device = "cpu", .peak_bytes = 1 << 30, .absolute = true},
                     {.device = "cuda:0", .peak_bytes = 512, .absolute = true},
                     {.device = "cuda:3",
                      .peak_bytes = 1 << 29,
                      .absolute = true,
                      .reserved_bytes = (1 << 29) + 7}};
  const ProfileFacts facts = facts_of(analysis);
  ASSERT_TRUE(facts.memory);
  EXPECT_EQ(facts.memory->device, "cuda:3");
  EXPECT_EQ(facts.memory->peak.count, 1 << 29);
  EXPECT_EQ(facts.memory->reserved.count, (1 << 29) + 7);
  EXPECT_FALSE(facts.memory->since_start);
  analysis.memory = {{.device = "cuda:0", .peak_bytes = 512}};
  EXPECT_EQ(facts_of(analysis).memory->device, "");
  EXPECT_TRUE(facts_of(analysis).memory->since_start);
}

TEST(AnalysisFactsTest, AnEmptyTraceTellsNothing) {
  const ProfileFacts facts = facts_of(analyse(MadeTrace().trace));
  EXPECT_FALSE(facts.on_gpu);
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_FALSE(facts.kernels);
  EXPECT_FALSE(facts.busy);
}

TEST(AnalysisFactsTest, WorkThatNoOpAskedForStandsUnderItsKernelsSoThatSharesAddUp) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100'000))
      .host({.name = "aten::mm", .start = 1'000, .length = 1'000})
      .launched(1, 1'500, {.name = "gemm", .start = 10'000, .length = 50'000})
      .launched(2, 3'000, {.name = "ncclDevKernel_AllReduce", .start = 60'000, .length = 30'000})
      .host(
          {.name = "zero grad", .start = 4'000, .length = 1'000, .kind = EventKind::UserAnnotation})
      .launched(3, 4'500, {.name = "Memset (Device)", .start = 90'000, .length = 5'000})
      .device({.name = "unlaunched", .start = 95'000, .length = 4'000})
      .launched(4, 200'000, {.name = "after", .start = 200'100, .length = 9'000});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_DOUBLE_EQ(op_time(facts).count(), 89e-6);
  EXPECT_DOUBLE_EQ(op_time(facts, OpKind::Matmul).count(), 50e-6);
  EXPECT_DOUBLE_EQ(op_time(facts, OpKind::Communication).count(), 30e-6);
  ASSERT_EQ(facts.ops.size(), 4U);
  for (const OpFact& op : facts.ops) EXPECT_NE(op.name, "gemm") << "it is told as aten::mm";
}

TEST(AnalysisFactsTest, AnOpWhoseNameTellsNothingIsWhatItsKernelsAre) {
  MadeTrace made;
  made.host({.name = "MyFunctionBackward", .start = 0, .length = 1'000})
      .launched(1, 100, {.name = "cutlass_80_tensorop", .start = 2'000, .length = 60})
      .launched(2, 200, {.name = "indexSelectLargeIndex", .start = 3'000, .length = 30})
      .launched(3, 300, {.name = "cutlass_80_tensorop", .start = 4'000, .length = 10})
      .launched(4, 400, {.name = "nobody_knows", .start = 5'000, .length = 20})
      .host({.name = "aten::mul", .start = 1'000, .length = 500})
      .launched(5, 1'100, {.name = "gemm_of_a_name_that_tells", .start = 6'000, .length = 80});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_NEAR(op_time(facts, OpKind::Matmul).count(), 70e-9, 1e-15);
  EXPECT_NEAR(op_time(facts, OpKind::Elementwise).count(), 80e-9, 1e-15) << "the name says so";
  EXPECT_NEAR(op_time(facts, OpKind::Embedding).count(), 30e-9, 1e-15);
  EXPECT_NEAR(op_time(facts, OpKind::Other).count(), 20e-9, 1e-15);
  EXPECT_NEAR(op_time(facts).count(), 200e-9, 1e-15);
}

TEST(AnalysisFactsTest, WorkOfARangeInsideAnOpIsTheOps) {
  MadeTrace made;
  made.host({.name = "MyFunction", .start = 0, .length = 1'000})
      .host({.name = "inside", .start = 100, .length = 500, .kind = EventKind::UserAnnotation})
      .launched(1, 200, {.name = "gemm", .start = 2'000, .length = 70});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  ASSERT_EQ(facts.ops.size(), 1U);
  EXPECT_EQ(facts.ops[0].name, "MyFunction");
  EXPECT_DOUBLE_EQ(facts.ops[0].time.count(), 70e-9);
}

TEST(AnalysisFactsTest, AStepCutOffAtAnEndHalvesNothing) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 10))
      .host(step("ProfilerStep#2", 100, 1'000))
      .launched(1, 150, {.name = "k", .start = 200, .length = 400})
      .host(step("ProfilerStep#3", 1'200, 1'000))  // in the middle: it did nothing, and is counted
      .host(step("ProfilerStep#4", 2'300, 1'000))
      .launched(2, 2'350, {.name = "k", .start = 2'400, .length = 400})
      .host(step("ProfilerStep#5", 3'400, 20));
  const TraceAnalysis analysis = analyse(made.trace);
  EXPECT_EQ(analysis.steps_left_out, 2U);
  ASSERT_EQ(analysis.steps.size(), 3U);
  EXPECT_EQ(analysis.steps[0].name, "ProfilerStep#2");
  EXPECT_DOUBLE_EQ(facts_of(analysis).step.count(), 1e-6);
}

TEST(AnalysisFactsTest, WithoutADeviceAStepsWorkIsItsOps) {
  MadeTrace made;
  made.host(step("ProfilerStep#1", 0, 100))
      .host({.name = "aten::mm", .start = 10, .length = 50})
      .host(step("ProfilerStep#2", 100, 4));
  EXPECT_EQ(analyse(made.trace).steps.size(), 1U);
  MadeTrace marks;
  marks.host(step("ProfilerStep#1", 0, 100)).host(step("ProfilerStep#2", 100, 4));
  EXPECT_EQ(analyse(marks.trace).steps.size(), 2U) << "nothing to judge by";
}

}  // namespace
}  // namespace ridgeline
