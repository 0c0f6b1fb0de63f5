#include "profile/op_table.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "profile/device_times.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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

TEST(OpTableTest, TheTextShowsTheTopAndSaysHowManyMoreThereAre) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  const std::string text = to_text(table, 2);
  EXPECT_THAT(text, HasSubstr("aten::mm"));
  EXPECT_THAT(text, Not(HasSubstr("aten::relu")));
  EXPECT_THAT(text, HasSubstr("5 more"));
  EXPECT_THAT(text, Not(HasSubstr("device")));
}

TEST(OpTableTest, TheCsvLeavesDeviceTimesEmptyWhereThereIsNoDevice) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  const CsvTable csv = to_csv_table(table);
  EXPECT_EQ(csv.rows.size(), table.rows.size());
  EXPECT_EQ(csv.header[6], "device_self_s");
  EXPECT_EQ(csv.rows[0][6], "");
}

TEST(OpTableTest, UnknownWordsNameTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_op_grouping("modul"); }),
              HasSubstr("module"));
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_op_order("sefl"); }), HasSubstr("self"));
}

}  // namespace
}  // namespace ridgeline
