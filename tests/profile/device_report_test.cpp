#include "profile/device_report.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_recording;
using testing::WithDevice;

DeviceRecord copy(const char* name, Nanoseconds start, std::uint64_t bytes,
                  std::uint32_t correlation) {
  return {.kind = DeviceRecordKind::Copy,
          .name = name,
          .start = start,
          .end = start + 1000,
          .correlation = correlation,
          .stream = 7,
          .bytes = bytes};
}

DeviceRecord kernel(Nanoseconds start, Nanoseconds end, std::uint32_t correlation,
                    Nanoseconds launch) {
  return {.name = "kernel",
          .start = start,
          .end = end,
          .correlation = correlation,
          .stream = 7,
          .launch = launch,
          .launch_end = launch + 500};
}

// A step with copies both ways, a gap that the host made and one that is the device's own pace.
Recording recording() {
  Recording made;
  made.steps = {{.number = 3, .start = 10'000, .end = 500'000}};
  made.device = {copy("Memcpy HtoD (Pinned -> Device)", 20'000, 4000, 1),
                 copy("Memcpy HtoD (Pageable -> Device)", 21'000, 2000, 2),
                 kernel(22'000, 60'000, 3, 11'000),
                 kernel(65'000, 70'000, 4, 12'000),
                 kernel(200'000, 260'000, 5, 190'000),
                 copy("Memcpy DtoH (Device -> Pageable)", 260'000, 8, 6)};
  return made;
}

TEST(DeviceReportTest, CopiesAreSummedByDirection) {
  const auto report = device_report(recording());
  ASSERT_TRUE(report);
  ASSERT_EQ(report->analysis.copies.size(), 2);
  const CopyRow& to_device = report->analysis.copies[0];
  EXPECT_EQ(to_device.direction, "HtoD");
  EXPECT_EQ(to_device.count, 2);
  EXPECT_EQ(to_device.bytes, 6000);
  EXPECT_DOUBLE_EQ(*to_device.bytes_per_s(), 3e9);
  EXPECT_THAT(copies_csv(*report).rows[0], ElementsAre("HtoD", "2", "2e-06", "6000", "3e+09"));
}

TEST(DeviceReportTest, GapsKnowTheirCauseAndWhatLiesAroundThem) {
  const auto report = device_report(recording());
  ASSERT_EQ(report->gaps.size(), 2);
  EXPECT_EQ(report->gaps[0].length_ns, 130'000);
  EXPECT_EQ(report->gaps[0].cause, IdleCause::HostWait) << "launched after the work before ended";
  EXPECT_EQ(report->gaps[0].start_ns, 60'000) << "since the first step began";
  EXPECT_EQ(report->gaps[1].length_ns, 5'000);
  EXPECT_EQ(report->gaps[1].cause, IdleCause::KernelWait);
  EXPECT_THAT(gaps_csv(*report).rows[0],
              ElementsAre("0", "6e-05", "0.00013", "host wait", "kernel", "kernel"));
}

TEST(DeviceReportTest, EveryStepHasItsBreakdown) {
  const auto report = device_report(recording());
  ASSERT_EQ(report->analysis.breakdowns.size(), 2);
  EXPECT_EQ(report->analysis.breakdowns[1].part, "ProfilerStep#3");
  EXPECT_EQ(report->analysis.breakdowns[1].kernels, 3);
}

// One in an op while more is to come, one that ends the step.
Recording with_waits() {
  Recording made = recording();
  made.names = {"", "aten::item"};
  made.ops = {{.start = 70'000, .end = 180'000, .name = 1, .id = 4}};
  made.syncs = {{.kind = SyncKind::Stream,
                 .start = 80'000,
                 .end = 170'000,
                 .external_id = 4,
                 .correlation = 20,
                 .stream = 7},
                {.start = 210'000, .end = 262'000, .correlation = 21}};
  return made;
}

TEST(DeviceReportTest, WaitsOfTheHostAreToldByKind) {
  const auto report = device_report(with_waits());
  const HostWaits& waits = report->analysis.waits;
  ASSERT_EQ(waits.rows.size(), 2);
  EXPECT_EQ(waits.rows[0].kind, "Stream Sync");
  EXPECT_EQ(waits.rows[0].before_work_ns, 90'000);
  EXPECT_EQ(waits.rows[1].kind, "Event Sync");
  EXPECT_EQ(waits.rows[1].before_work, 0);
  EXPECT_EQ(waits.op, "aten::item");
  EXPECT_EQ(device_json(*report).at("host_waits").at(0).at("total_ns"), 90'000);
}

TEST(DeviceReportTest, AWaitIsNoWork) {
  const TraceAnalysis with = device_report(with_waits())->analysis;
  const TraceAnalysis without = device_report(recording())->analysis;
  ASSERT_EQ(with.breakdowns.size(), without.breakdowns.size());
  for (std::size_t i = 0; i < with.breakdowns.size(); ++i) {
    EXPECT_EQ(with.breakdowns[i].idle_ns, without.breakdowns[i].idle_ns);
    EXPECT_EQ(with.breakdowns[i].span_ns, without.breakdowns[i].span_ns);
    EXPECT_EQ(with.breakdowns[i].kernels, without.breakdowns[i].kernels);
  }
  EXPECT_EQ(with.idle.size(), without.idle.size());
  EXPECT_EQ(with.copies.size(), without.copies.size());
}

TEST(DeviceReportTest, WorkThatWasRecordedApartIsThatOfItsOwnSteps) {
  Recording made = with_waits();
  made.device_steps = made.steps;
  made.steps = {{.number = 1, .start = 1'010'000, .end = 1'500'000}};
  for (OpRecord& op : made.ops) {
    op.start += 1'000'000;
    op.end += 1'000'000;
  }
  const auto apart = device_report(made);
  const auto together = device_report(with_waits());
  ASSERT_EQ(apart->analysis.breakdowns.size(), 2);
  EXPECT_EQ(apart->analysis.breakdowns[1].part, "ProfilerStep#3");
  EXPECT_EQ(apart->analysis.breakdowns[1].idle_ns, together->analysis.breakdowns[1].idle_ns);
  EXPECT_EQ(apart->analysis.waits.op, "aten::item") << "whose step was another";
  EXPECT_EQ(apart->analysis.waits.rows[0].before_work_ns, 90'000);
}

TEST(DeviceReportTest, NodesOfAGraphShareOneLaunch) {
  Recording made;
  made.steps = {{.number = 0, .start = 1, .end = 100'000}};
  made.device = {kernel(5'000, 6'000, 9, 100), kernel(6'000, 7'000, 9, 100)};
  const auto report = device_report(made);
  EXPECT_EQ(report->analysis.launches.calls, 1);
  EXPECT_EQ(report->analysis.launches.launched, 2);
}

TEST(DeviceReportTest, WhatIsShownIsEverythingButKernelsAndOps) {
  const auto report = device_report(recording());
  std::vector<std::string> ids;
  for (const TitledTable& table : device_tables(*report, 5)) ids.push_back(table.id);
  EXPECT_THAT(ids, ElementsAre("breakdown", "copies", "idle", "launches", "gaps"));
  EXPECT_EQ(device_sections(*report, 5).size(), 5);
  EXPECT_THAT(to_text(*report, 5), HasSubstr("HtoD"));
  const nlohmann::json object = device_json(*report);
  EXPECT_EQ(object.at("copies").size(), 2);
  EXPECT_EQ(object.at("gaps").size(), 2);
  EXPECT_FALSE(object.contains("kernels"));
}

TEST(DeviceReportTest, WithoutDeviceRecordsThereIsNone) {
  EXPECT_FALSE(device_report(sample_recording(WithDevice::No)));
  EXPECT_TRUE(device_report(sample_recording(WithDevice::Yes)));
}

}  // namespace
}  // namespace ridgeline
