#include "profile/facts.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "profile/device_times.h"
#include "profile/made_memory.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using testing::sample_recording;
using testing::WithDevice;

ProfileResult sample(WithDevice device) {
  ProfileResult result;
  result.recording = sample_recording(device);
  result.memory = memory_timeline(result.recording);
  (void)attribute_device_times(result.recording);
  return result;
}

const OpFact& op(const ProfileFacts& facts, std::string_view name) {
  return *std::ranges::find(facts.ops, name, &OpFact::name);
}

TEST(FactsTest, HostTimesAreOfOneStep) {
  const ProfileFacts facts = facts_of(sample(WithDevice::No), {});
  EXPECT_EQ(facts.steps, 2);
  EXPECT_DOUBLE_EQ(op(facts, "aten::mm").time.count(), (2000 + 400 + 4000) * 1e-9);
  EXPECT_EQ(op(facts, "aten::mm").calls, 3);
  EXPECT_EQ(op(facts, "aten::mm").kind, OpKind::Matmul);
  EXPECT_EQ(op(facts, "aten::_fused_adamw_").kind, OpKind::Optimizer);
  EXPECT_FALSE(facts.kernels);
  EXPECT_FALSE(facts.busy);
}

TEST(FactsTest, DeviceTimesTakeThePlaceOfHostTimes) {
  const ProfileFacts facts = facts_of(sample(WithDevice::Yes), {});
  EXPECT_NEAR(op(facts, "aten::mm").time.count(), 3 * 300e-9, 1e-15);
  EXPECT_EQ(op(facts, "aten::relu").time.count(), 0);
  ASSERT_TRUE(facts.kernels);
  EXPECT_EQ(facts.kernels->count, 3);
  EXPECT_EQ(facts.kernels->distinct, 1);
  EXPECT_EQ(facts.kernels->short_ones, 3);
  ASSERT_TRUE(facts.to_device);
  EXPECT_EQ(facts.to_device->count, 0.5);
  EXPECT_EQ(facts.to_device->bytes.count, 500);
  ASSERT_TRUE(facts.busy);
  EXPECT_GT(*facts.busy, 0);
  EXPECT_LT(*facts.busy, 1);
}

TEST(FactsTest, WhereAnOpRanDecidesItsKindAndTheModulesHaveShares) {
  ProfileResult result;
  result.recording.names = {"", "aten::bmm", "aten::mul", "layers.0.attn", "layers.0.ln1"};
  result.recording.steps = {{.number = 0, .start = 0, .end = 1000}};
  const auto total = [](NameId name, NameId module, Nanoseconds self) {
    return OpTotal{.name = name, .module = module, .kind = FrameKind::Op, .calls = 1, .self = self};
  };
  result.recording.totals = {total(1, 3, 400), total(1, 0, 300), total(2, 4, 200),
                             total(2, 0, 100)};
  const ProfileFacts facts = facts_of(result, {});
  EXPECT_EQ(facts.ops.size(), 4U);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Attention), 0.4);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Matmul), 0.3);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Normalisation), 0.2);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Elementwise), 0.1);
  EXPECT_DOUBLE_EQ(facts.modules->attention, 0.4);
  EXPECT_DOUBLE_EQ(facts.modules->normalisation, 0.2);
  for (OpTotal& op : result.recording.totals) op.module = 0;
  EXPECT_FALSE(facts_of(result, {}).modules) << "a program that tells of no modules";
}

TEST(FactsTest, WhatAnOptimizerIsMadeOfIsTheOptimizer) {
  ProfileResult result;
  result.recording.names = {"", "aten::mm", "aten::_foreach_mul_", "aten::addcdiv_", "nccl:reduce"};
  result.recording.steps = {{.number = 0, .start = 0, .end = 1000}};
  const auto total = [](NameId name, StepPhase phase, Nanoseconds self) {
    return OpTotal{.name = name, .kind = FrameKind::Op, .phase = phase, .calls = 1, .self = self};
  };
  result.recording.totals = {total(1, StepPhase::Forward, 300), total(1, StepPhase::Optimizer, 500),
                             total(2, StepPhase::Optimizer, 50), total(3, StepPhase::Optimizer, 50),
                             total(4, StepPhase::Optimizer, 100)};
  const ProfileFacts facts = facts_of(result, {});
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Optimizer), 0.6);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Matmul), 0.3) << "half precision makes no other faster";
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Elementwise), 0);
  EXPECT_DOUBLE_EQ(share_of(facts, OpKind::Communication), 0.1);
}

TEST(FactsTest, ABackwardIsKnownByItsPhaseItsNodesOrTheCapturesOfAGraph) {
  ProfileResult result;
  result.recording.names = {"", "aten::mm"};
  result.recording.steps = {{.number = 0, .start = 0, .end = 1000}};
  result.recording.totals = {{.name = 1, .kind = FrameKind::Op, .phase = StepPhase::Forward}};
  EXPECT_FALSE(facts_of(result, {}).runs_backward);
  ProfileResult phase = result;
  phase.recording.totals.push_back(
      {.name = 1, .kind = FrameKind::Op, .phase = StepPhase::Backward});
  EXPECT_TRUE(facts_of(phase, {}).runs_backward);
  ProfileResult node = result;
  node.recording.totals.push_back({.name = 1, .kind = FrameKind::Backward});
  EXPECT_TRUE(facts_of(node, {}).runs_backward);
  ProfileResult graph = result;
  graph.recording.captured.push_back({.kind = FrameKind::Phase, .phase = StepPhase::Backward});
  EXPECT_TRUE(facts_of(graph, {}).runs_backward);
}

TEST(FactsTest, WhyTheDeviceWasIdleIsToldByItsLaunches) {
  ProfileResult result;
  result.recording.steps = {{.number = 0, .start = 1, .end = 1001}};
  const auto kernel = [](std::uint32_t id, Nanoseconds launch, Nanoseconds start) {
    return DeviceRecord{.name = "k",
                        .start = start,
                        .end = start + 100,
                        .correlation = id,
                        .launch = launch,
                        .launch_end = launch + 5};
  };
  result.recording.device = {kernel(1, 10, 100), kernel(2, 20, 300), kernel(3, 550, 600)};
  const ProfileFacts facts = facts_of(result, {});
  ASSERT_TRUE(facts.idle);
  EXPECT_DOUBLE_EQ(facts.idle->queued.count(), 100e-9);
  EXPECT_NEAR(launch_idle_share(facts), 0.6, 1e-12);
  for (DeviceRecord& work : result.recording.device) work.launch = work.launch_end = 0;
  EXPECT_FALSE(facts_of(result, {}).idle);
}

TEST(FactsTest, CopiesAtOnceTakeTheStepsTimeOnce) {
  ProfileResult result;
  result.recording.steps = {{.number = 0, .start = 0, .end = 1000}};
  const auto copy = [](std::uint32_t device, std::uint32_t stream) {
    return DeviceRecord{.kind = DeviceRecordKind::Copy,
                        .name = "Memcpy HtoD (Pinned -> Device)",
                        .start = 100,
                        .end = 900,
                        .device = device,
                        .stream = stream};
  };
  result.recording.device = {copy(0, 7), copy(0, 8), copy(1, 7)};
  const ProfileFacts facts = facts_of(result, {});
  ASSERT_TRUE(facts.to_device);
  EXPECT_DOUBLE_EQ(facts.to_device->time.count(), 2400e-9);
  EXPECT_DOUBLE_EQ(facts.to_device->merged.count(), 800e-9);
}

TEST(FactsTest, OverlappingKernelsAreBusyOnce) {
  ProfileResult result;
  result.recording.steps = {{.number = 0, .start = 0, .end = 1000}};
  result.recording.device = {{.name = "a", .start = 100, .end = 400},
                             {.name = "b", .start = 200, .end = 300},
                             {.name = "c", .start = 350, .end = 500}};
  EXPECT_DOUBLE_EQ(*facts_of(result, {}).busy, 0.4);
  const Seconds step = facts_of(result, {}).step;
  result.cost = ProfileCost{.without = {step / 2}, .with = {step}, .ratio = 2};
  EXPECT_DOUBLE_EQ(*facts_of(result, {}).busy, 0.8) << "the step without the profiler is shorter";
}

TEST(FactsTest, AWaitIsKeptApartFromBusyTimeAndKernels) {
  ProfileResult result = sample(WithDevice::Yes);
  const ProfileFacts before = facts_of(result, {});
  EXPECT_FALSE(before.waits);
  const RecordedStep& step = result.recording.steps.front();
  result.recording.syncs = {{.kind = SyncKind::Stream, .start = step.start, .end = step.start + 40},
                            {.start = step.end - 30, .end = step.end}};
  const ProfileFacts facts = facts_of(result, {});
  ASSERT_TRUE(facts.waits);
  EXPECT_DOUBLE_EQ(facts.waits->held.count(), 20e-9) << "of one of two steps";
  EXPECT_DOUBLE_EQ(facts.waits->held_count, 0.5);
  EXPECT_EQ(facts.busy, before.busy);
  EXPECT_EQ(facts.kernels->count, before.kernels->count);
  EXPECT_EQ(facts.ops.size(), before.ops.size());
}

TEST(FactsTest, TheStepsTimeIsThatWithoutTheProfiler) {
  ProfileResult result = sample(WithDevice::No);
  result.cost = ProfileCost{.without = {Seconds{0.5}}, .with = {Seconds{0.6}}, .ratio = 1.2};
  const ProfileFacts facts = facts_of(result, {});
  EXPECT_EQ(facts.step.count(), 0.5);
  EXPECT_LT(facts.recorded.count(), 1e-3);
  EXPECT_EQ(facts.cost->time_ratio, 1.2);
  EXPECT_FALSE(facts.cost->low);
  result.cost->interval = RatioInterval{.low = 1.1, .high = 1.4, .confidence = 0.95};
  EXPECT_EQ(facts_of(result, {}).cost->low, 1.1);
  EXPECT_EQ(facts_of(result, {}).cost->high, 1.4);
  EXPECT_EQ(facts.cost->memory.count,
            static_cast<double>(30 * sizeof(OpRecord) + 4 * sizeof(MemoryRecord)));
}

TEST(FactsTest, MemoryIsOfTheRecordedSteps) {
  ProfileFacts known;
  known.memory = MemoryFacts{.capacity = Bytes{1e9}};
  const ProfileFacts facts = facts_of(sample(WithDevice::No), known);
  ASSERT_TRUE(facts.memory);
  EXPECT_EQ(facts.memory->peak.count, 64);
  EXPECT_EQ(facts.memory->capacity.count, 1e9);
  EXPECT_EQ(facts.memory->allocations, 1);
  EXPECT_EQ(facts.memory->small_allocations, 1);
  EXPECT_EQ(facts.memory->temporaries.count, 0) << "allocated in no phase";
  EXPECT_EQ(facts.memory->activations.count, 0);
}

TEST(FactsTest, APeakThatIsKnownOtherwiseStaysWhereNothingWasRecorded) {
  ProfileResult result = sample(WithDevice::No);
  result.memory.reset();
  EXPECT_FALSE(facts_of(result, {}).memory);
  ProfileFacts known;
  known.memory = MemoryFacts{.capacity = Bytes{1e9}};
  EXPECT_FALSE(facts_of(result, known).memory) << "room alone is no peak";
  known.memory->peak = Bytes{5e8};
  EXPECT_EQ(facts_of(result, known).memory->peak.count, 5e8);
}

TEST(FactsTest, MemoryIsToldApartByWhatItIsFor) {
  testing::MadeMemory made;
  made.step().name(1, 1000, MemoryKind::Parameter).name(2, 2000, MemoryKind::OptimizerState);
  made.name(3, 30, MemoryKind::Input).name(4, 4, MemoryKind::Buffer);
  made.phase(StepPhase::Forward).allocate(10, 500).allocate(11, 7);
  made.phase(StepPhase::Backward).allocate(12, 1000).name(12, 1000, MemoryKind::Gradient);
  made.release(10, 500).phase(StepPhase::Optimizer).release(12, 1000);
  ProfileResult result{.recording = made.finish()};
  result.memory = memory_timeline(result.recording);
  result.memory->main.allocator_reserved = 9000;
  const MemoryFacts memory = *facts_of(result, {}).memory;
  EXPECT_EQ(memory.peak.count, 1000 + 2000 + 30 + 4 + 500 + 7 + 1000);
  EXPECT_EQ(memory.phase, "backward");
  EXPECT_EQ(memory.module, "layers.0");
  EXPECT_EQ(memory.parameters.count, 1000);
  EXPECT_EQ(memory.optimizer_state.count, 2000);
  EXPECT_EQ(memory.inputs.count, 30);
  EXPECT_EQ(memory.buffers.count, 4);
  EXPECT_EQ(memory.activations.count, 500);
  EXPECT_EQ(memory.gradients.count, 1000);
  EXPECT_EQ(memory.other.count, 7) << "never freed";
  EXPECT_EQ(memory.reserved.count, 9000);
}

TEST(FactsTest, NothingRecordedLeavesWhatIsKnown) {
  ProfileFacts known;
  known.work = Flop{5};
  const ProfileFacts facts = facts_of({}, known);
  EXPECT_EQ(facts.work->count, 5);
  EXPECT_EQ(facts.steps, 0);
}

TEST(FactsTest, TheWaitForDataIsThatOfTheRecordedSteps) {
  ProfileResult result = sample(WithDevice::No);
  ProfileFacts known;
  known.data = DataFacts{.wait = Seconds{5}, .compute = Seconds{1}};  // of the first step too
  EXPECT_FALSE(facts_of(result, known).data) << "the recording waited for none";
  const auto& steps = result.recording.steps;
  ASSERT_EQ(steps.size(), 2U);
  result.recording.data_waits = {{.start = steps[0].start + 10, .end = steps[0].start + 40},
                                 {.start = steps[1].start + 10, .end = steps[1].start + 60}};
  const ProfileFacts facts = facts_of(result, known);
  ASSERT_TRUE(facts.data);
  EXPECT_DOUBLE_EQ(facts.data->wait.count(), 40e-9);
  EXPECT_DOUBLE_EQ((facts.data->wait + facts.data->compute).count(), facts.recorded.count());
  EXPECT_EQ(facts.data->covered.count(), 0);
  result.recording.device = {
      {.name = "k", .start = steps[0].start + 20, .end = steps[0].start + 35},
      {.name = "k", .start = steps[0].start + 25, .end = steps[0].start + 70}};
  EXPECT_DOUBLE_EQ(facts_of(result, known).data->covered.count(), 10e-9)
      << "20 of the first step's wait";
}

TEST(FactsTest, AWholeGraphIsBusyTimeAndNoKernel) {
  ProfileResult result = sample(WithDevice::Yes);
  for (DeviceRecord& work : result.recording.device) work.kind = DeviceRecordKind::Replay;
  const ProfileFacts facts = facts_of(result, {});
  EXPECT_FALSE(facts.kernels) << "what it holds was not recorded";
  EXPECT_GT(*facts.busy, 0);
}

TEST(FactsTest, WhatWasRecordedApartTellsTheSame) {
  const ProfileFacts together = facts_of(sample(WithDevice::Yes), {});
  ProfileResult result{.recording = testing::sample_recording_apart()};
  (void)attribute_device_times(result.recording);
  const ProfileFacts apart = facts_of(result, {});
  EXPECT_EQ(apart.steps, together.steps);
  EXPECT_EQ(apart.recorded, together.recorded);
  EXPECT_EQ(apart.busy, together.busy);
  EXPECT_EQ(apart.kernels->count, together.kernels->count);
  EXPECT_EQ(op(apart, "aten::mm").time, op(together, "aten::mm").time);
}

TEST(FactsTest, OfSidesApartTheWaitForDataIsThatOfTheDevicesSteps) {
  ProfileResult result{.recording = testing::sample_recording_apart()};
  const auto& host = result.recording.steps;
  const auto& device = result.recording.device_steps;
  result.recording.data_waits = {{.start = host[0].start + 10, .end = host[0].start + 1010},
                                 {.start = device[0].start + 10, .end = device[0].start + 40},
                                 {.start = device[1].start + 10, .end = device[1].start + 60}};
  EXPECT_DOUBLE_EQ(facts_of(result, {}).data->wait.count(), 40e-9);
}

TEST(FactsTest, TheCostOfSidesApartIsThatOfTheDearer) {
  ProfileResult result{.recording = testing::sample_recording_apart()};
  result.cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.1}));
  result.device_cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.15}));
  EXPECT_DOUBLE_EQ(facts_of(result, {}).cost->time_ratio, 1.15);
}

TEST(FactsTest, OpsBesideTheStepAreLeftOutAndThatIsKnown) {
  ProfileResult result = sample(WithDevice::No);
  EXPECT_FALSE(facts_of(result, {}).leaves_threads_out);
  const Seconds before = op_time(facts_of(result, {}));
  OpTotal other = result.recording.totals.back();
  other.kind = FrameKind::Op;
  other.beside = true;
  other.self = 1000;
  result.recording.totals.push_back(other);
  EXPECT_TRUE(facts_of(result, {}).leaves_threads_out);
  EXPECT_EQ(op_time(facts_of(result, {})), before);
}

TEST(FactsTest, APartOfTheAllocationsTellsNoPeak) {
  ProfileResult result = sample(WithDevice::No);
  ASSERT_TRUE(result.memory);
  result.memory->lost = 1;
  EXPECT_FALSE(facts_of(result, {}).memory);
  ProfileFacts known;
  known.memory = MemoryFacts{.peak = Bytes{7}, .of_process = true};
  EXPECT_EQ(facts_of(result, known).memory->peak.count, 7) << "what is known otherwise stays";
}

}  // namespace
}  // namespace ridgeline
