#include "profile/profile_output.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "profile/device_times.h"
#include "profile/facts.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_recording;
using testing::WithDevice;

ProfileDocument sample_profile(WithDevice device, const ProfileView& view = {}) {
  ProfileDocument profile{.title = "a model", .view = view};
  profile.result.recording = sample_recording(device);
  (void)attribute_device_times(profile.result.recording);
  profile.tables = profile_tables(profile.result.recording, view);
  profile.facts = facts_of(profile.result, {});
  return profile;
}

TEST(ProfileOutputTest, EveryFileIsThereAndListed) {
  const TemporaryFolder folder;
  ProfileDocument profile = sample_profile(WithDevice::Yes);
  profile.traces = {"trace.json", "another.json.gz"};
  profile.page = "profile.html";
  const WrittenFiles written = write_profile(folder.path(), profile);
  EXPECT_TRUE(written.problems.empty());
  for (const char* const name :
       {"trace.json", "another.json.gz", "ops.csv", "modules.csv", "kernels.csv", "copies.csv",
        "gaps.csv", "stacks.txt", "flamegraph.svg", "speedscope.json", "profile.json",
        "findings.txt", "profile.html"})
    EXPECT_THAT(written.files, Contains(folder.path() / name));
  for (const auto& file : written.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

TEST(ProfileOutputTest, AFileThatCannotBeWrittenCostsItselfAlone) {
  const TemporaryFolder folder;
  ProfileDocument profile = sample_profile(WithDevice::Yes);
  for (const char* const name : {"ops.csv", "trace.json.gz"})
    std::filesystem::create_directories(folder.path() / name);
  const WrittenFiles written = write_profile(folder.path(), profile);
  ASSERT_EQ(written.lost.size(), 2U);
  EXPECT_THAT(written.lost[0], HasSubstr("ops.csv"));
  EXPECT_THAT(written.lost[1], HasSubstr("trace.json.gz"));
  EXPECT_THAT(written.files, Not(Contains(folder.path() / "ops.csv")));
  for (const char* const name :
       {"modules.csv", "kernels.csv", "findings.txt", "profile.json", "report.html"})
    EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() / name)) << name;
}

TEST(ProfileOutputTest, WithoutADeviceThereAreNoFilesOfIt) {
  const TemporaryFolder folder;
  (void)write_profile(folder.path(), sample_profile(WithDevice::No));
  for (const char* const name : {"kernels.csv", "copies.csv", "gaps.csv"})
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name)) << name;
}

TEST(ProfileOutputTest, KernelsArePrintedBesideOpsOrInTheirPlace) {
  EXPECT_THAT(profile_text(sample_profile(WithDevice::Yes)),
              AllOf(HasSubstr("aten::linear"), HasSubstr("4x2x1 of 128x1x1")));
  const std::string kernels =
      profile_text(sample_profile(WithDevice::Yes, {.grouping = OpGrouping::Kernel}));
  EXPECT_THAT(kernels, AllOf(HasSubstr("4x2x1 of 128x1x1"), Not(HasSubstr("aten::linear"))));
  EXPECT_THAT(profile_text(sample_profile(WithDevice::No, {.grouping = OpGrouping::Kernel})),
              HasSubstr("nothing ran on a GPU"));
}

TEST(ProfileOutputTest, FindingsAndRemarksCloseIt) {
  ProfileDocument profile = sample_profile(WithDevice::No);
  profile.remarks = "A remark.\n";
  EXPECT_THAT(profile_text(profile),
              AllOf(HasSubstr("- Top 3 operations"), HasSubstr("A remark.")));
  profile.result.recording.steps.clear();
  EXPECT_EQ(closing_lines(profile), "");
}

TEST(ProfileOutputTest, WhereSidesWereRecordedApartTheirStepsAreTold) {
  ProfileDocument profile = sample_profile(WithDevice::Yes);
  profile.result.recording = testing::sample_recording_apart();
  EXPECT_THAT(profile_text(profile),
              ::testing::StartsWith("2 steps recorded for ops (18 ops, median 8.1 µs), then 2 for "
                                    "kernels (median 8.1 µs), with the profiler on.\n"));
}

TEST(ProfileOutputTest, AProfileThatWasCutShortSaysSo) {
  ProfileDocument profile = sample_profile(WithDevice::No);
  profile.result.planned_steps = 5;
  EXPECT_THAT(profile_text(profile), Not(HasSubstr("Interrupted")));
  profile.result.interrupted = true;
  EXPECT_THAT(profile_text(profile), HasSubstr("Interrupted: only 2 of 5 steps were recorded."));
  profile.result.planned_steps = 2;
  EXPECT_THAT(profile_text(profile), HasSubstr("Interrupted after the recorded steps"));
}

TEST(ProfileOutputTest, FilesOfAnEarlierProfileThatThisOneHasNotGo) {
  const TemporaryFolder folder;
  ProfileDocument first = sample_profile(WithDevice::Yes);
  first.traces = {"trace_step_9.json", "m.1.pt.trace.json.gz"};
  first.result.memory = memory_timeline(first.result.recording);
  (void)write_profile(folder.path(), first);
  folder.put("trace_step_best.json", "mine");
  folder.put("notes.txt", "mine");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "memory.json"));
  ProfileDocument second = sample_profile(WithDevice::No);
  second.traces = {"trace_step_4.json", "m.2.pt.trace.json.gz"};
  (void)write_profile(folder.path(), second);
  for (const char* const name :
       {"memory.json", "memory.png", "kernels.csv", "copies.csv", "gaps.csv", "trace_step_9.json"})
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name)) << name;
  for (const char* const name : {"trace_step_4.json", "m.1.pt.trace.json.gz", "profile.json",
                                 "trace_step_best.json", "notes.txt"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;
}

TEST(ProfileOutputTest, InAFolderThatHeldNoProfileNothingIsRemoved) {
  const TemporaryFolder folder;
  folder.put("memory.json", "mine");
  (void)write_profile(folder.path(), sample_profile(WithDevice::No));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "memory.json"));
}

TEST(ProfileOutputTest, OpsBeyondTheTracesLimitAreCountedWithTheOthers) {
  ProfileDocument profile = sample_profile(WithDevice::No);
  profile.result.recording.gaps.ops_beyond_limit = 1000;
  profile.result.recording.totals.push_back({.calls = 1000});
  EXPECT_THAT(profile_text(profile), HasSubstr("1018 ops, median"));
}

}  // namespace
}  // namespace ridgeline
