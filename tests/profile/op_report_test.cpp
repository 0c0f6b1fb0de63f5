#include "profile/op_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/device_times.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::sample_recording;
using testing::WithDevice;

// One row with work and memory, of two steps.
OpTable table_with_all() {
  OpTable table{.steps = 2'000'000, .has_flop = true, .has_memory = true, .step_count = 2};
  table.rows.push_back({.name = "aten::mm",
                        .calls = 4,
                        .self = 1'000'000,
                        .total = 1'000'000,
                        .flop = {3e9},
                        .flop_time = 1'000'000,
                        .self_memory = {.allocated = 64, .net = 32},
                        .memory = {.allocated = 8192, .net = -4096}});
  table.rows.push_back({.name = "aten::view", .calls = 2, .self = 1000, .total = 1000});
  return table;
}

std::vector<std::string> titles_of(const ReaderTable& table) {
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

TEST(OpReportTest, TheTextShowsTheTopAndSaysHowManyMoreThereAre) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  const std::string text = to_text(table, 2);
  EXPECT_THAT(text, HasSubstr("aten::mm"));
  EXPECT_THAT(text, Not(HasSubstr("aten::relu")));
  EXPECT_THAT(text, HasSubstr("5 more"));
  EXPECT_THAT(text, Not(HasSubstr("device")));
}

TEST(OpReportTest, TheCsvLeavesDeviceTimesEmptyWhereThereIsNoDevice) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  const CsvTable csv = to_csv_table(table);
  EXPECT_EQ(csv.rows.size(), table.rows.size());
  EXPECT_EQ(csv.header[6], "device_self_s");
  EXPECT_EQ(csv.rows[0][6], "");
}

TEST(OpReportTest, WorkAndMemoryAreOfAStepAndAbsentWhereThereIsNone) {
  const ReaderTable shown = reader_table(table_with_all(), 5);
  EXPECT_THAT(titles_of(shown), ElementsAre("op", "calls/step", "self/step", "share", "total/step",
                                            "FLOP/step", "FLOP/s", "alloc/step", "net/step"));
  EXPECT_THAT(shown.rows[0], ElementsAre("aten::mm", "2", "500.0 µs", "50.0 %", "500.0 µs",
                                         "1.50 G", "3.00 T", "4.00 KiB", "-2.00 KiB"));
  EXPECT_THAT(shown.rows[1],
              ElementsAre("aten::view", "1", "500.0 ns", "0.1 %", "500.0 ns", "-", "-", "-", "-"));
}

TEST(OpReportTest, ThereAreNoColumnsOfWhatWasNotRecorded) {
  const OpTable table = op_table(sample_recording(WithDevice::No), OpGrouping::Op, OpOrder::Self);
  EXPECT_THAT(titles_of(reader_table(table, 5)), Not(Contains("FLOP/step")));
  EXPECT_THAT(titles_of(reader_table(table, 5)), Not(Contains("alloc/step")));
  EXPECT_THAT(to_csv_table(table).header, Not(Contains("flop")));
}

TEST(OpReportTest, TablesWithEverythingStayAboutAsWideAsATerminal) {
  OpTable table = table_with_all();
  table.rows[0].name = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
  const std::string host = to_text(table, 1);
  EXPECT_LE(host.find('\n'), 125U);
  EXPECT_THAT(host, HasSubstr("aten::_scaled_dot_product_flash…"));
  table.has_device = true;
  EXPECT_LE(to_text(table, 1).find('\n'), 125U);
}

TEST(OpReportTest, TheCsvHasWholeSumsAndEmptyCellsForWhatIsNotKnown) {
  const CsvTable csv = to_csv_table(table_with_all());
  const std::vector<std::string> work(csv.header.end() - 6, csv.header.end());
  EXPECT_THAT(work, ElementsAre("flop", "flop_per_s", "allocated_bytes", "net_bytes",
                                "self_allocated_bytes", "self_net_bytes"));
  const auto last_six = [](const std::vector<std::string>& cells) {
    return std::vector<std::string>(cells.end() - 6, cells.end());
  };
  EXPECT_THAT(last_six(csv.rows[0]),
              ElementsAre("3000000000", "3e+12", "8192", "-4096", "64", "32"));
  EXPECT_THAT(last_six(csv.rows[1]), ElementsAre("", "", "0", "0", "0", "0"));
}

TEST(OpReportTest, LongNamesAreCutBetweenLettersAndSteerNoTerminal) {
  OpTable table = table_with_all();
  table.rows[0].name = "\x1b[31m" + std::string(40, 'x');
  std::string umlauts;
  for (int i = 0; i < 40; ++i) umlauts += "ü";
  table.rows[1].name = umlauts;
  const std::string text = to_text(table, 5);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr(umlauts.substr(0, 2 * 31) + "…"));
}

}  // namespace
}  // namespace ridgeline
