#include "profile/trace_writer.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"
#include "profile/sample_recording.h"
#include "profile/written_trace.h"
#include "trace/trace_file.h"

namespace ridgeline {
namespace {

using nlohmann::json;
using testing::events_of;
using testing::sample_facts;
using testing::sample_recording;
using testing::WithDevice;
using testing::written;

TEST(TraceWriterTest, TheTopLevelIsThatOfPyTorchsProfiler) {
  const json trace = written(sample_recording(WithDevice::Yes));
  EXPECT_EQ(trace.at("schemaVersion"), 1);
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_EQ(trace.at("baseTimeNanoseconds"), 1'700'000'000'000'000'000);
  EXPECT_EQ(trace.at("record_shapes"), 1);
  EXPECT_EQ(trace.at("distributedInfo").at("rank"), 0);
  EXPECT_EQ(trace.at("deviceProperties")[0].at("name"), "Test \"GPU\"");
  EXPECT_EQ(trace.at("traceName"), "trace.json");
}

TEST(TraceWriterTest, EveryOpIsAnEventWithItsArguments) {
  const Recording recording = sample_recording(WithDevice::No);
  const json trace = written(recording);
  const auto ops = events_of(trace, "cpu_op");
  EXPECT_EQ(ops.size(), 18 + 4) << "nodes of the backward stand in their evaluation";
  const json& linear = ops.at(0);
  EXPECT_EQ(linear.at("name"), "aten::linear");
  EXPECT_EQ(linear.at("pid"), 1234);
  EXPECT_EQ(linear.at("tid"), 4711);
  EXPECT_EQ(linear.at("ts"), 0.115);
  EXPECT_EQ(linear.at("dur"), 2.15);
  EXPECT_EQ(linear.at("args").at("Input Dims"), json({{2, 4}, {8, 4}}));
  EXPECT_EQ(linear.at("args").at("Input type"), json({"float", "float"}));
  EXPECT_EQ(linear.at("args").at("Module"), "layers.0");
  EXPECT_EQ(ops.at(1).at("args").at("Sequence number"), 0);
}

TEST(TraceWriterTest, ANodeOfTheBackwardStandsInsideItsEvaluation) {
  const auto ops = events_of(written(sample_recording(WithDevice::No)), "cpu_op");
  const auto named = [&](std::string_view name) {
    return *std::ranges::find_if(ops, [&](const json& op) { return op.at("name") == name; });
  };
  const json outer = named("autograd::engine::evaluate_function: ReluBackward0");
  const json inner = named("ReluBackward0");
  const auto end = [](const json& op) {
    return op.at("ts").get<double>() + op.at("dur").get<double>();
  };
  EXPECT_LT(outer.at("ts"), inner.at("ts"));
  EXPECT_DOUBLE_EQ(end(outer), end(inner) + 0.001);
  EXPECT_EQ(inner.at("args").at("Sequence number"), 1);
  EXPECT_FALSE(outer.at("args").contains("External id")) << "kernels belong to one of them";
}

TEST(TraceWriterTest, EveryTrackHasAName) {
  std::set<std::pair<std::int64_t, std::int64_t>> named;
  std::set<std::pair<std::int64_t, std::int64_t>> used;
  const json trace = written(sample_recording(WithDevice::Yes));
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" && event.at("name") != "thread_name") continue;
    if (event.at("pid") == "Spans") continue;
    (event.at("ph") == "X" ? used : named).emplace(event.at("pid"), event.at("tid"));
  }
  EXPECT_EQ(named, used);
  EXPECT_TRUE(named.contains({0, 7}));
}

TEST(TraceWriterTest, StepsAndPhasesAreAnnotations) {
  std::multiset<std::string> names;
  for (const json& event : events_of(written(sample_recording(WithDevice::No)), "user_annotation"))
    names.insert(event.at("name").get<std::string>());
  EXPECT_EQ(names.count("ProfilerStep#0"), 1);
  EXPECT_EQ(names.count("ProfilerStep#1"), 1);
  EXPECT_EQ(names.count("forward"), 2);
  EXPECT_EQ(names.count("backward"), 2);
  EXPECT_EQ(names.count("optimizer_step"), 2);
  EXPECT_EQ(names.count("layers.0"), 0);
  EXPECT_EQ(names.size(), 8) << "no range over all steps unless it has a name";
}

TEST(TraceWriterTest, ARangeOverAllStepsComesBeforeThemAndEndsWithThem) {
  TraceFacts facts = sample_facts();
  facts.all_steps = "a \"named\" training";
  const auto ranges =
      events_of(written(sample_recording(WithDevice::No), facts), "user_annotation");
  ASSERT_EQ(ranges.size(), 9);
  const json& all = ranges.front();
  EXPECT_EQ(all.at("name"), facts.all_steps);
  const auto end = [](const json& event) {
    return event.at("ts").get<double>() + event.at("dur").get<double>();
  };
  double last = 0;
  for (const json& range : ranges) last = std::max(last, end(range));
  EXPECT_EQ(all.at("ts"), ranges.at(1).at("ts")) << "the first step, which is inside";
  EXPECT_DOUBLE_EQ(end(all), last);
  EXPECT_EQ(all.at("tid"), ranges.at(1).at("tid"));
}

TEST(TraceWriterTest, NoStepsHaveNoRangeOverThem) {
  TraceFacts facts = sample_facts();
  facts.all_steps = "training";
  EXPECT_TRUE(events_of(written(Recording{}, facts), "user_annotation").empty());
}

TEST(TraceWriterTest, ModulesAreWhatPyTorchCallsThem) {
  const auto modules = events_of(written(sample_recording(WithDevice::No)), "python_function");
  ASSERT_EQ(modules.size(), 4);
  EXPECT_EQ(modules[0].at("name"), "nn.Module: layers.0");
  EXPECT_TRUE(modules[0].at("args").at("Python parent id").is_null()) << "no module is around it";
  EXPECT_EQ(modules[0].at("args").at("Python module id"),
            modules[2].at("args").at("Python module id"))
      << "the same module in the next step";
  EXPECT_NE(modules[0].at("args").at("Python id"), modules[2].at("args").at("Python id"));
}

TEST(TraceWriterTest, SlicesOfATrackAreNested) {
  struct Slice {
    double start, end;
  };
  std::map<std::string, std::vector<Slice>> open;
  std::size_t deepest = 0;
  const json trace = written(sample_recording(WithDevice::No));
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("cat") == "Trace") continue;
    auto& stack = open[event.at("tid").dump()];
    const double start = event.at("ts").get<double>();
    const double end = start + event.at("dur").get<double>();
    while (!stack.empty() && stack.back().end <= start + 1e-9) stack.pop_back();
    if (!stack.empty()) {
      EXPECT_LE(end, stack.back().end + 1e-9) << event;
    }
    stack.push_back({start, end});
    deepest = std::max(deepest, stack.size());
  }
  EXPECT_EQ(deepest, 5) << "step, forward, layers.0, linear, mm";
}

TEST(TraceWriterTest, FlowsJoinEveryNodeToTheOpThatMadeIt) {
  const auto flows = events_of(written(sample_recording(WithDevice::No)), "fwdbwd");
  ASSERT_EQ(flows.size(), 8);
  for (std::size_t i = 0; i < flows.size(); i += 2) {
    EXPECT_EQ(flows[i].at("ph"), "s");
    EXPECT_EQ(flows[i + 1].at("ph"), "f");
    EXPECT_EQ(flows[i + 1].at("bp"), "e");
    EXPECT_EQ(flows[i].at("id"), flows[i + 1].at("id"));
    EXPECT_LT(flows[i].at("ts"), flows[i + 1].at("ts"));
  }
}

TEST(TraceWriterTest, WaitsForDataHaveTheNameOfPyTorchsLoaders) {
  Recording recording = sample_recording(WithDevice::No);
  const RecordedStep& step = recording.steps.at(1);
  recording.data_waits = {{.start = step.start + 20, .end = step.start + 70}};
  const auto ops = events_of(written(recording), "cpu_op");
  ASSERT_EQ(ops.size(), 18 + 4 + 1);
  const json& wait = ops.back();
  EXPECT_EQ(wait.at("name"), "enumerate(DataLoader)#Loader.__next__");
  EXPECT_EQ(wait.at("tid"), 4711);
  EXPECT_DOUBLE_EQ(wait.at("dur").get<double>(), 0.05);
}

TEST(TraceWriterTest, AllocationsAreInstants) {
  const auto instants = events_of(written(sample_recording(WithDevice::No)), "cpu_instant_event");
  ASSERT_EQ(instants.size(), 4);
  EXPECT_EQ(instants[0].at("name"), "[memory]");
  EXPECT_EQ(instants[0].at("args").at("Bytes"), 64);
  EXPECT_EQ(instants[1].at("args").at("Bytes"), -64);
  EXPECT_EQ(instants[0].at("args").at("Device Type"), 0);
  EXPECT_EQ(instants[0].at("args").at("Total Allocated"), 64);
  TraceFacts facts = sample_facts();
  facts.host_bytes_before = 1000;
  const auto after =
      events_of(written(sample_recording(WithDevice::No), facts), "cpu_instant_event");
  EXPECT_EQ(after[0].at("args").at("Total Allocated"), 1064);
  EXPECT_EQ(after[1].at("args").at("Total Allocated"), 1000);
}

TEST(TraceWriterTest, WhatAnAllocatorDoesNotTellHasNoKey) {
  Recording recording = sample_recording(WithDevice::No);
  recording.memory.resize(2);
  recording.memory[1].on_device = true;
  const json host = events_of(written(recording), "cpu_instant_event").at(0).at("args");
  EXPECT_FALSE(host.contains("Total Reserved"));
  EXPECT_EQ(host.at("Device Id"), -1);
  const json unknown = events_of(written(recording), "cpu_instant_event").at(1).at("args");
  EXPECT_FALSE(unknown.contains("Total Reserved"));
  EXPECT_FALSE(unknown.contains("Device Id"));
  recording.memory[1].device = 3;
  recording.memory[1].reserved = 4096;
  const json device = events_of(written(recording), "cpu_instant_event").at(1).at("args");
  EXPECT_EQ(device.at("Total Reserved"), 4096);
  EXPECT_EQ(device.at("Device Id"), 3);
}

TEST(TraceWriterTest, OneOfSeveralProcessesSaysWhichItIs) {
  TraceFacts facts = sample_facts();
  facts.rank = 3;
  facts.world_size = 8;
  const json info = written(sample_recording(WithDevice::No), facts).at("distributedInfo");
  EXPECT_EQ(info.at("rank"), 3);
  EXPECT_EQ(info.at("world_size"), 8);
  EXPECT_FALSE(info.contains("backend")) << "not known";
}

TEST(TraceWriterTest, NamesOfAnyBytesMakeValidJson) {
  Recording recording = sample_recording(WithDevice::No);
  recording.names[recording.ops[0].name] = "a\"b\\c\n\x01\xff";
  EXPECT_NO_THROW((void)written(recording));
}

TEST(TraceWriterTest, WhatHadNoRoomIsToldToWhoeverReadsTheTrace) {
  Recording recording = sample_recording(WithDevice::Yes);
  EXPECT_FALSE(written(recording).contains("ridgeline")) << "all of it is there";
  recording.gaps.memory_beyond_limit = 3;
  EXPECT_EQ(written(recording).at("ridgeline"), json({{"allocations_beyond_limit", 3}}));
  recording.gaps.ops_beyond_limit = 12;
  recording.gaps.device_beyond_limit = 4;
  recording.gaps.device_dropped = 1;
  const TemporaryFolder folder;
  write_trace(folder.path() / "trace.json", recording, sample_facts());
  const TraceNotes notes = read_trace(folder.path() / "trace.json").notes;
  EXPECT_EQ(notes.ops_beyond_limit, 12U);
  EXPECT_EQ(notes.allocations_beyond_limit, 3U);
  EXPECT_EQ(notes.device_beyond_limit, 5U);
}

TEST(TraceWriterTest, AnEmptyRecordingIsAValidTrace) {
  const json trace = written(Recording{.names = {""}});
  EXPECT_TRUE(events_of(trace, "cpu_op").empty());
}

TEST(TraceWriterTest, TheTextIsTheGoldenOne) {
  const TemporaryFolder folder;
  write_trace(folder.path() / "trace.json", sample_recording(WithDevice::Yes), sample_facts());
  const std::string text = read_file(folder.path() / "trace.json", {1e8});
  const std::filesystem::path golden = "tests/golden/profile/trace.json";
  if (std::getenv("RIDGELINE_APPROVE") != nullptr) write_file_atomically(golden, text);
  EXPECT_EQ(text, read_file(golden, {1e8}));
}

}  // namespace
}  // namespace ridgeline
