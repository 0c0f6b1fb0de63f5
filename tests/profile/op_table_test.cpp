#include "profile/op_table.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "profile/device_times.h"
#include "profile/made_ops.h"
#include "profile/op_report.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using testing::kSmallLinear;
using testing::kSmallMm;
using testing::MadeOps;
using testing::sample_recording;
using testing::WithDevice;

const OpRow& row_of(const OpTable& table, std::string_view name, std::string_view detail = "") {
  for (const OpRow& row : table.rows) {
    if (row.name == name && row.detail == detail) return row;
  }
  throw std::out_of_range(std::string(name));
}

TEST(OpTableTest, OpsOfOneNameAreOneRowWithSelfAndTotalTimes) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  EXPECT_EQ(table.rows[0].name, "aten::mm");
  EXPECT_EQ(row_of(table, "aten::mm").calls, 6);
  EXPECT_EQ(row_of(table, "aten::mm").self, 2 * (2000 + 400 + 4000));
  EXPECT_EQ(row_of(table, "aten::linear").self, 2 * 150);
  EXPECT_EQ(row_of(table, "aten::linear").total, 2 * 2150);
}

TEST(OpTableTest, SelfTimesOfOpsAndWhatLiesBetweenThemAddUpToTheSteps) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  const Nanoseconds ops =
      std::accumulate(table.rows.begin(), table.rows.end(), Nanoseconds{0},
                      [](Nanoseconds sum, const OpRow& row) { return sum + row.self; });
  EXPECT_EQ(ops + table.outside_ops, table.steps);
  EXPECT_GT(table.outside_ops, 0);
}

TEST(OpTableTest, GroupingByModuleKeepsBackwardOpsWithTheirLayer) {
  const OpTable table =
      op_table(sample_recording(WithDevice::No), OpGrouping::Module, OpOrder::Self);
  EXPECT_EQ(row_of(table, "aten::mm", "layers.0").self, 2 * (2000 + 4000));
  EXPECT_EQ(row_of(table, "aten::mm", "layers.1").self, 2 * 400);
}

TEST(OpTableTest, GroupingByShapeShowsTheDimensionsAlone) {
  const OpTable table =
      op_table(sample_recording(WithDevice::No), OpGrouping::Shape, OpOrder::Self);
  EXPECT_EQ(row_of(table, "aten::linear", "[[2,4],[8,4]]").calls, 2);
}

TEST(OpTableTest, SortingFollowsTheWordAsked) {
  const Recording recording = sample_recording(WithDevice::No);
  EXPECT_EQ(op_table(recording, OpGrouping::Op, OpOrder::Total).rows[0].name, "aten::mm");
  EXPECT_EQ(op_table(recording, OpGrouping::Op, OpOrder::Calls).rows[0].calls, 6);
  EXPECT_EQ(op_table(recording, OpGrouping::Op, OpOrder::Device).rows[0].name, "aten::mm");
}

TEST(OpTableTest, DeviceTimeGoesToTheLaunchingOpAndToThoseAroundIt) {
  Recording recording = sample_recording(WithDevice::Yes);
  const Nanoseconds unknown = attribute_device_times(recording);
  EXPECT_EQ(unknown, 100) << "the copy, which no op launched";
  const OpTable table = op_table(recording, OpGrouping::Op, OpOrder::Device);
  EXPECT_TRUE(table.has_device);
  EXPECT_EQ(row_of(table, "aten::mm").device_self, 6 * 300);
  EXPECT_EQ(row_of(table, "aten::linear").device_self, 0);
  EXPECT_EQ(row_of(table, "aten::linear").device_total, 2 * 300);
  EXPECT_EQ(row_of(table, "MmBackward0").device_total, 2 * 300);
  const Nanoseconds busy =
      std::accumulate(table.rows.begin(), table.rows.end(), unknown,
                      [](Nanoseconds sum, const OpRow& row) { return sum + row.device_self; });
  EXPECT_EQ(busy, 6 * 300 + 100);
}

TEST(OpTableTest, KernelsHaveATableOfTheirOwn) {
  const OpTable table =
      op_table(sample_recording(WithDevice::Yes), OpGrouping::Kernel, OpOrder::Device);
  EXPECT_EQ(row_of(table, "gemm_kernel<float>", "4x2x1 of 128x1x1").calls, 6);
  EXPECT_THAT(to_text(table, 5), HasSubstr("gemm_kernel<float>"));
  const OpTable none =
      op_table(sample_recording(WithDevice::No), OpGrouping::Kernel, OpOrder::Device);
  EXPECT_THAT(to_text(none, 5), HasSubstr("no kernels"));
}

TEST(OpTableTest, AKernelsRowsSayWhatTheirLaunchesAskedFor) {
  Recording recording = sample_recording(WithDevice::Yes);
  recording.device[0].shared_memory = 50 << 10;
  const GpuShape h200{.compute_major = 9, .compute_minor = 0, .multiprocessors = 132};
  const OpTable table = op_table(recording, OpGrouping::Kernel, OpOrder::Device, h200);
  ASSERT_EQ(table.rows.size(), 3) << "another launch is another row; a copy has none";
  ASSERT_TRUE(table.rows[0].launch);
  EXPECT_EQ(table.rows[0].calls, 5);
  EXPECT_EQ(table.rows[0].launch->registers, 64);
  EXPECT_NEAR(*table.rows[0].launch->occupancy, 8.0 / 132 * 4 / 64, 1e-12);
  EXPECT_FALSE(table.rows[2].launch);
  EXPECT_THAT(to_text(table, 5), HasSubstr("50.00 KiB"));
  const CsvTable csv = to_csv_table(table);
  EXPECT_EQ(csv.header.back(), "occupancy");
  for (const auto& row : csv.rows) EXPECT_EQ(row.size(), csv.header.size());
  EXPECT_FALSE(op_table(recording, OpGrouping::Kernel, OpOrder::Device).rows[0].launch->occupancy);
}

TEST(OpTableTest, FlopsStandWithTheOpThatDidThemAndTheirRateIsOverItsTime) {
  MadeOps made;
  const auto linear = made.frame("aten::linear", kSmallLinear, 1, 100);
  made.frame("aten::mm", kSmallMm, linear, 900);
  made.frame("aten::mm", kSmallMm, 1, 600);
  OpTotal outer{.kind = FrameKind::Op, .calls = 1, .self = 100};
  outer.name = made.recording.ops.at(linear - 1).name;
  made.recording.totals.push_back(outer);
  OpTable table = op_table(made.recording, OpGrouping::Op, OpOrder::Self);
  EXPECT_FALSE(table.has_flop);
  add_flop(table, made.recording, count_flop(made.recording).frames);
  EXPECT_TRUE(table.has_flop);
  EXPECT_EQ(row_of(table, "aten::mm").flop.count, 120);
  EXPECT_DOUBLE_EQ(row_of(table, "aten::mm").achieved()->value, 120 / 1500e-9);
  EXPECT_EQ(row_of(table, "aten::linear").flop.count, 0);
  EXPECT_FALSE(row_of(table, "aten::linear").achieved()) << "never zero";
}

TEST(OpTableTest, FlopsGoByShapeAndModuleToo) {
  MadeOps made;
  made.frame("aten::mm", kSmallMm, 1, 600);
  made.recording.names.emplace_back("layers.0");
  made.recording.ops.back().module = static_cast<NameId>(made.recording.names.size() - 1);
  const auto work = count_flop(made.recording).frames;
  OpTable shapes = op_table(made.recording, OpGrouping::Shape, OpOrder::Self);
  add_flop(shapes, made.recording, work);
  EXPECT_EQ(row_of(shapes, "aten::mm", "[[2,3],[3,5]]").flop.count, 60);
  OpTable modules = op_table(made.recording, OpGrouping::Module, OpOrder::Self);
  add_flop(modules, made.recording, work);
  EXPECT_EQ(row_of(modules, "aten::mm", "layers.0").flop.count, 60);
  OpTable kernels = op_table(made.recording, OpGrouping::Kernel, OpOrder::Self);
  add_flop(kernels, made.recording, work);
  EXPECT_FALSE(kernels.has_flop);
}

TEST(OpTableTest, MemoryStandsWithTheOpThatWasRunning) {
  const Recording recording = sample_recording(WithDevice::No);
  const OpRecord* mm = nullptr;
  const OpRecord* step = nullptr;
  for (const OpRecord& op : recording.ops) {
    if (recording.name(op.name) == "aten::mm") mm = &op;
    if (op.kind == FrameKind::Step) step = &op;
  }
  OpTable table = op_table(recording, OpGrouping::Op, OpOrder::Self);
  add_memory(table, recording,
             {{.frame = mm, .self = {100, 60}, .total = {100, 60}},
              {.frame = mm, .self = {0, -80}, .total = {50, -30}},
              {.frame = step, .self = {7, 7}, .total = {157, 37}}});
  EXPECT_TRUE(table.has_memory);
  EXPECT_EQ(row_of(table, "aten::mm").memory.allocated, 150);
  EXPECT_EQ(row_of(table, "aten::mm").self_memory.net, -20);
  EXPECT_THROW((void)row_of(table, "ProfilerStep#1"), std::out_of_range);
}

TEST(OpTableTest, UnknownWordsNameTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_op_grouping("modul"); }),
              HasSubstr("module"));
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_op_order("sefl"); }), HasSubstr("self"));
}

}  // namespace
}  // namespace ridgeline
