#include "profile/profile_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/facts.h"
#include "profile/made_ops.h"
#include "profile/profile_tables.h"
#include "profile/recorder.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kSmallMm;
using testing::MadeOps;
using testing::sample_recording;
using testing::WithDevice;

json json_of(const ProfileResult& result, const ProfileView& view = {}) {
  ProfileDocument profile{.result = result, .view = view};
  profile.tables = profile_tables(result.recording, view);
  profile.facts = facts_of(result, {});
  return profile_json(profile);
}

TEST(ProfileJsonTest, WhatIsNotKnownIsAbsent) {
  const json object = json_of({.recording = sample_recording(WithDevice::No)});
  for (const char* key : {"cost", "failure", "interrupted"}) EXPECT_FALSE(object.contains(key));
  EXPECT_FALSE(object.at("ops")[0].contains("device_self_s"));
  EXPECT_EQ(object.at("steps").size(), 2);
  EXPECT_DOUBLE_EQ(object.at("steps")[0].at("total_s").get<double>(), 8.1e-6);
}

TEST(ProfileJsonTest, FindingsAndTargetsStandUnderTheirNames) {
  const json object = json_of({.recording = sample_recording(WithDevice::No)});
  EXPECT_EQ(object.at("findings")[0].at("id"), "top-operations");
  EXPECT_THAT(object.at("findings")[0].at("text").get<std::string>(), HasSubstr("aten::mm"));
  const json& targets = object.at("targets");
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets[0].at("lever"), "kernel fusion");
  EXPECT_GT(targets[0].at("time_gain"), 0);
  EXPECT_FALSE(targets[0].contains("memory_gain")) << "it wins none";
  EXPECT_FALSE(json_of({}).contains("findings")) << "nothing was recorded";
}

TEST(ProfileJsonTest, KernelsStandBesideOpsWhereThereAreSome) {
  for (const OpGrouping grouping : {OpGrouping::Op, OpGrouping::Kernel}) {
    const json object =
        json_of({.recording = sample_recording(WithDevice::Yes)}, {.grouping = grouping});
    EXPECT_EQ(object.at("kernels")[0].at("name"), "gemm_kernel<float>");
    EXPECT_EQ(object.at("kernels")[0].at("calls"), 6);
    EXPECT_EQ(object.at("kernels")[0].at("registers"), 64);
    EXPECT_EQ(object.at("ops")[0].at("name"), "aten::mm");
  }
  EXPECT_FALSE(json_of({.recording = sample_recording(WithDevice::No)}).contains("kernels"));
}

TEST(ProfileJsonTest, CostFailureAndDeviceTimesStandWhereTheyAreKnown) {
  ProfileResult result{.recording = sample_recording(WithDevice::Yes)};
  result.cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.25}));
  result.failure = {.fault = Fault::Memory, .message = "no room\xff"};
  const json object = json_of(result);
  EXPECT_DOUBLE_EQ(object.at("cost").at("ratio").get<double>(), 1.25);
  EXPECT_EQ(object.at("cost").at("with_s").size(), 8);
  EXPECT_EQ(object.at("failure").at("fault"), "memory");
  EXPECT_TRUE(object.at("ops")[0].contains("device_self_s"));
  EXPECT_NO_THROW((void)object.dump());
}

TEST(ProfileJsonTest, WhatWasRecordedApartHasItsOwnStepsAndCost) {
  ProfileResult result{.recording = testing::sample_recording_apart()};
  result.cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.125}));
  result.device_cost = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.25}));
  result.together = cost_of(std::vector(8, Seconds{1}), std::vector(8, Seconds{1.5}));
  const json object = json_of(result);
  ASSERT_EQ(object.at("device_steps").size(), 2);
  EXPECT_EQ(object.at("device_steps")[0].at("number"), 10);
  EXPECT_DOUBLE_EQ(object.at("cost").at("ratio").get<double>(), 1.125);
  EXPECT_DOUBLE_EQ(object.at("device_cost").at("ratio").get<double>(), 1.25);
  EXPECT_DOUBLE_EQ(object.at("together_cost").at("ratio").get<double>(), 1.5);
  EXPECT_FALSE(json_of({.recording = sample_recording(WithDevice::Yes)}).contains("device_steps"));
}

TEST(ProfileJsonTest, MemoryStandsWhereItWasRecorded) {
  ProfileResult result{.recording = sample_recording(WithDevice::No)};
  EXPECT_FALSE(json_of(result).contains("memory"));
  result.memory = memory_timeline(result.recording);
  const json memory = json_of(result).at("memory");
  EXPECT_EQ(memory.at("peak_bytes"), 64);
  EXPECT_EQ(memory.at("kinds").at("other").at("at_peak_bytes"), 64);
}

TEST(ProfileJsonTest, WorkAndParametersStandUnderKeysWithTheirUnits) {
  MadeOps made;
  made.frame("aten::mm", kSmallMm, 1, 300);
  made.frame("mine::op", "", 1, 100);
  for (const OpRecord& op : made.recording.ops)
    made.recording.totals.push_back({.name = op.name,
                                     .shape = op.shape,
                                     .kind = op.kind,
                                     .phase = op.phase,
                                     .calls = 1,
                                     .self = op.self,
                                     .total = op.self});
  const json object =
      json_of({.recording = made.recording}, {.parameters = {{.name = "fc.weight", .count = 12}}});
  const json& mm = object.at("ops").at(0);
  EXPECT_EQ(mm.at("flop"), 60);
  EXPECT_DOUBLE_EQ(mm.at("flop_per_s").get<double>(), 2e8);
  EXPECT_FALSE(mm.contains("allocated_bytes"));
  EXPECT_FALSE(object.at("ops").at(1).contains("flop")) << "not known is absent, never zero";
  EXPECT_EQ(object.at("modules").back().at("parameters"), 12);
  EXPECT_EQ(object.at("modules").back().at("forward_flop"), 60);
  EXPECT_FALSE(object.at("modules").back().contains("backward_flop"));
}

TEST(ProfileJsonTest, EveryGapIsALineAndNoneIsNone) {
  EXPECT_THAT(gap_lines({}), IsEmpty());
  EXPECT_THAT(gap_lines({.ops_beyond_limit = 3}), ElementsAre(HasSubstr("3 ops beyond")));
  EXPECT_EQ(gap_lines({.ops_beyond_limit = 1,
                       .memory_beyond_limit = 1,
                       .frames_too_deep = 1,
                       .names_beyond_limit = 1,
                       .unfinished = 1,
                       .launches_unlike = 1})
                .size(),
            6);
}

TEST(ProfileJsonTest, ATracesLimitBecomesSoManyRecordsAndNeverMoreThanIdsCanName) {
  EXPECT_EQ(limits_for(350e3, /*with_memory=*/false).ops, 1000);
  EXPECT_EQ(limits_for(350e3, /*with_memory=*/false).memory, 0);
  EXPECT_LT(limits_for(350e3, /*with_memory=*/true).ops, 1000);
  EXPECT_GT(limits_for(350e3, /*with_memory=*/true).memory, 0);
  EXPECT_LE(limits_for(1e15, /*with_memory=*/false).ops, 0xffff'ffffU);
}

}  // namespace
}  // namespace ridgeline
