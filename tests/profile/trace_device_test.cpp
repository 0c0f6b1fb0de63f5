#include "profile/trace_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/sample_recording.h"
#include "profile/written_trace.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using testing::events_of;
using testing::kSampleApart;
using testing::sample_facts;
using testing::sample_recording;
using testing::sample_recording_apart;
using testing::WithDevice;
using testing::written;

TEST(TraceDeviceTest, LaunchesAreToldWhereTheDeviceIsKnown) {
  Recording recording = sample_recording(WithDevice::Yes);
  TraceFacts facts = sample_facts();
  facts.devices[0].multiprocessors = 4;
  const json arguments = events_of(written(recording, facts), "kernel").at(0).at("args");
  EXPECT_DOUBLE_EQ(arguments.at("blocks per SM").get<double>(), 2);
  EXPECT_DOUBLE_EQ(arguments.at("warps per SM").get<double>(), 8);
  EXPECT_EQ(arguments.at("est. achieved occupancy %"), 13);
}

TEST(TraceDeviceTest, DeviceWorkStandsOnTheDevicesTracksWithAnArrowFromItsLaunch) {
  const json trace = written(sample_recording(WithDevice::Yes));
  const auto kernels = events_of(trace, "kernel");
  ASSERT_EQ(kernels.size(), 6);
  EXPECT_EQ(kernels[0].at("pid"), 0);
  EXPECT_EQ(kernels[0].at("tid"), 7);
  EXPECT_EQ(kernels[0].at("args").at("grid"), json({4, 2, 1}));
  const auto copies = events_of(trace, "gpu_memcpy");
  ASSERT_EQ(copies.size(), 1);
  EXPECT_EQ(copies[0].at("args").at("bytes"), 1000);
  EXPECT_DOUBLE_EQ(copies[0].at("args").at("memory bandwidth (GB/s)").get<double>(), 10);
  EXPECT_EQ(events_of(trace, "ac2g").size(), 12);
  const auto launches = events_of(trace, "cuda_runtime");
  ASSERT_EQ(launches.size(), 6);
  EXPECT_EQ(launches[0].at("args").at("correlation"), kernels[0].at("args").at("correlation"));
  EXPECT_EQ(launches[0].at("tid"), 4711);
  EXPECT_EQ(launches[0].at("args").at("cbid"), 211) << "cudaLaunchKernel, by CUPTI's count";
}

TEST(TraceDeviceTest, AKernelThatBeginsBeforeTheOneBeforeEndsStandsBesideItsStream) {
  Recording recording = sample_recording(WithDevice::Yes);
  DeviceRecord& early = recording.device[1];
  early.start = recording.device[0].end - 10;
  const json trace = written(recording);
  const auto kernels = events_of(trace, "kernel");
  EXPECT_EQ(kernels[0].at("tid"), 7);
  EXPECT_EQ(kernels[1].at("tid"), 1'000'007);
  EXPECT_EQ(kernels[1].at("args").at("stream"), 7) << "readers ask there";
  EXPECT_EQ(kernels[2].at("tid"), 7);
  std::vector<std::string> names;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name" && event.at("pid") == 0)
      names.push_back(event.at("args").at("name"));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"stream 7", "stream 7, overlapping"}));
  const auto ranges = events_of(trace, "gpu_user_annotation");
  EXPECT_GE(ranges[1].at("ts").get<double>(),
            ranges[0].at("ts").get<double>() + ranges[0].at("dur").get<double>());
}

TEST(TraceDeviceTest, RangesOfTheHostStandOverTheWorkThatTheyLaunched) {
  const json trace = written(sample_recording(WithDevice::Yes));
  const auto ranges = events_of(trace, "gpu_user_annotation");
  const auto kernels = events_of(trace, "kernel");
  ASSERT_EQ(ranges.size(), 4) << "forward and backward of two steps; no optimizer's, no steps";
  EXPECT_EQ(ranges[0].at("name"), "forward");
  EXPECT_EQ(ranges[1].at("name"), "backward");
  EXPECT_EQ(ranges[0].at("tid"), 7);
  EXPECT_EQ(ranges[1].at("ts"), kernels[1].at("ts"));
  const auto end = [](const json& event) {
    return event.at("ts").get<double>() + event.at("dur").get<double>();
  };
  EXPECT_DOUBLE_EQ(end(ranges[0]), end(kernels[0]));
  EXPECT_DOUBLE_EQ(end(ranges[1]), end(kernels[2]));
  EXPECT_FALSE(ranges[0].at("args").contains("stream")) << "HTA takes what has one for work";
}

TEST(TraceDeviceTest, AWholeGraphIsALaunchOfAGraphAndHasNoGrid) {
  Recording recording = sample_recording(WithDevice::Yes);
  recording.device.resize(1);
  recording.device[0].kind = DeviceRecordKind::Replay;
  const json trace = written(recording);
  EXPECT_EQ(events_of(trace, "cuda_runtime").at(0).at("name"), "cudaGraphLaunch");
  const json arguments = events_of(trace, "kernel").at(0).at("args");
  EXPECT_FALSE(arguments.contains("grid") || arguments.contains("bytes"));
}

TEST(TraceDeviceTest, WorkThatWasRecordedApartStandsInStepsOfItsOwnUnderTheSameOps) {
  const json together = written(sample_recording(WithDevice::Yes));
  const json apart = written(sample_recording_apart());
  std::vector<std::string> steps;
  for (const json& event : events_of(apart, "user_annotation")) {
    const auto name = event.at("name").get<std::string>();
    if (name.starts_with("ProfilerStep#")) steps.push_back(name);
    EXPECT_EQ(event.at("tid"), 4711);
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#10",
                                             "ProfilerStep#11"}));
  EXPECT_EQ(events_of(apart, "cpu_op"), events_of(together, "cpu_op"));
  for (const char* const kind : {"kernel", "cuda_runtime", "gpu_user_annotation", "ac2g"}) {
    const auto before = events_of(together, kind);
    auto after = events_of(apart, kind);
    ASSERT_EQ(after.size(), before.size()) << kind;
    for (std::size_t i = 0; i < after.size(); ++i) {
      EXPECT_NEAR(after[i].at("ts").get<double>() - before[i].at("ts").get<double>(),
                  1e-3 * kSampleApart, 1e-6);
      after[i]["ts"] = before[i].at("ts");
    }
    EXPECT_EQ(after, before) << kind;
  }
}

TEST(TraceDeviceTest, WaitsOfTheHostStandOnTracksOfTheirOwn) {
  Recording recording = sample_recording(WithDevice::Yes);
  const OpRecord& op = recording.ops.at(1);
  recording.syncs = {{.kind = SyncKind::Stream,
                      .start = op.start,
                      .end = op.end,
                      .external_id = op.id,
                      .correlation = 500,
                      .context = 1,
                      .stream = 7},
                     {.start = op.start + 1, .end = op.end + 1, .correlation = 501}};
  const json trace = written(recording);
  const auto waits = events_of(trace, "cuda_sync");
  ASSERT_EQ(waits.size(), 2);
  EXPECT_EQ(waits[0].at("name"), "Stream Sync");
  EXPECT_EQ(waits[0].at("tid"), -1);
  EXPECT_EQ(waits[0].at("args").at("cuda_sync_kind"), "Stream Sync");
  EXPECT_EQ(waits[0].at("args").at("wait_on_stream"), 7);
  EXPECT_EQ(waits[0].at("args").at("stream"), -1) << "HTA takes what has a stream for work";
  EXPECT_EQ(waits[1].at("tid"), -2) << "another thread's, at the same time";
  EXPECT_EQ(waits[1].at("args").at("wait_on_cuda_event_record_corr_id"), -1);
  const auto calls = events_of(trace, "cuda_runtime");
  ASSERT_EQ(calls.size(), 7);
  EXPECT_EQ(calls.back().at("name"), "cudaStreamSynchronize");
  EXPECT_EQ(calls.back().at("tid"), 4711);
  EXPECT_EQ(calls.back().at("args").at("correlation"), 500);
  EXPECT_EQ(events_of(trace, "ac2g").size(), 14) << "the second has no known op to begin in";
  EXPECT_EQ(events_of(trace, "kernel").size(), 6);
}

}  // namespace
}  // namespace ridgeline
