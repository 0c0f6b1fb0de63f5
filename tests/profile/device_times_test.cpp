#include "profile/device_times.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

// Names: 1 a module, 2 an op, 3 the op inside it.
Recording eager() {
  Recording recording;
  recording.names = {"", "layer", "aten::linear", "aten::mm"};
  recording.ops = {{.name = 1, .module = 1, .id = 1, .kind = FrameKind::Module},
                   {.name = 2, .module = 1, .id = 2, .parent = 1},
                   {.name = 3, .module = 1, .id = 3, .parent = 2}};
  for (const OpRecord& op : recording.ops)
    recording.totals.push_back({.name = op.name, .module = 1, .kind = op.kind, .calls = 1});
  return recording;
}

TEST(DeviceTimesTest, TheInnermostFrameHasItAndThoseAroundItContainIt) {
  Recording recording = eager();
  recording.device = {{.start = 10, .end = 40, .external_id = 3}};
  EXPECT_EQ(attribute_device_times(recording), 0);
  EXPECT_EQ(recording.totals[2].device_self, 30);
  EXPECT_EQ(recording.totals[1].device_self, 0);
  EXPECT_EQ(recording.totals[0].device_total, 30);
  EXPECT_EQ(recording.totals[1].device_total, 30);
}

TEST(DeviceTimesTest, WorkOfNoFrameIsReturned) {
  Recording recording = eager();
  recording.device = {{.start = 10, .end = 40, .external_id = 99}, {.start = 50, .end = 55}};
  EXPECT_EQ(attribute_device_times(recording), 35);
}

TEST(DeviceTimesTest, NodesOfAGraphGoToTheFramesTheyWereCapturedUnder) {
  Recording recording = eager();
  recording.captured = recording.ops;
  recording.ops = {{.name = 2, .id = 1, .kind = FrameKind::Step}};
  recording.totals = {{.name = 2, .kind = FrameKind::Step, .calls = 2}};
  // Two replays of a graph in which one op has two kernels.
  for (const std::uint32_t replay : {70U, 71U}) {
    for (const std::uint64_t node : {4U, 5U})
      recording.device.push_back({.start = 10,
                                  .end = 15,
                                  .external_id = 1,
                                  .captured = 3,
                                  .graph_node = node,
                                  .correlation = replay});
  }
  EXPECT_EQ(attribute_device_times(recording), 0);
  ASSERT_EQ(recording.totals.size(), 4);
  EXPECT_EQ(recording.totals[0].device_total, 0);
  for (const OpTotal& total : recording.totals) {
    if (total.name == 3) {
      EXPECT_EQ(total.calls, 2);
      EXPECT_EQ(total.device_self, 20);
    }
    if (total.kind == FrameKind::Module) {
      EXPECT_EQ(total.calls, 2);
      EXPECT_EQ(total.device_total, 20);
      EXPECT_EQ(total.device_self, 0);
    }
  }
}

TEST(DeviceTimesTest, SelfTimesAddUpToTheWork) {
  Recording recording = eager();
  Nanoseconds sum = 0;
  for (std::uint32_t i = 0; i < 30; ++i) {
    recording.device.push_back({.start = 0, .end = i, .external_id = i % 5});
    sum += i;
  }
  Nanoseconds given = attribute_device_times(recording);
  for (const OpTotal& total : recording.totals) given += total.device_self;
  EXPECT_EQ(given, sum);
}

}  // namespace
}  // namespace ridgeline
