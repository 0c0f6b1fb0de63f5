#include "report/bench_table.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden.h"
#include "report/markdown.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSeparateHeader =
    "model_size,num_params,context_length,batch_size,warmup_steps,measure_steps,forward_mean_ms,"
    "forward_std_ms,forward_cv_percent,backward_mean_ms,backward_std_ms,backward_cv_percent,"
    "total_mean_ms,backward_forward_ratio,error";

Rows plain_rows() {
  return {testing::plain_row("small", 128'625'408, 128, 0.1),
          testing::plain_row("medium", 423'183'360, 256, 0.3),
          testing::unmeasured_row("skipped", "needs 54 GiB, 8 GiB are available")};
}

std::string cell(const CsvTable& table, std::size_t row, const std::string& title) {
  const auto at = std::ranges::find(table.header, title);
  EXPECT_NE(at, table.header.end()) << title;
  return table.rows[row][static_cast<std::size_t>(at - table.header.begin())];
}

TEST(SeparateCsvTest, PlainRowsGiveExactlyTheKnownHeader) {
  EXPECT_THAT(to_csv(separate_csv(plain_rows())), StartsWith(std::string(kSeparateHeader) + "\n"));
  EXPECT_EQ(to_csv(separate_csv({})), std::string(kSeparateHeader) + "\n");
}

TEST(SeparateCsvTest, HeadWidthsOfTheSizesDoNotAddAColumn) {
  Rows rows = plain_rows();
  rows[2]["settings"]["head_dim"] = 80;
  EXPECT_THAT(to_csv(separate_csv(rows)), StartsWith(std::string(kSeparateHeader) + "\n"));
}

TEST(SeparateCsvTest, NumbersAreInMilliseconds) {
  const CsvTable table = separate_csv(plain_rows());
  EXPECT_EQ(cell(table, 0, "num_params"), "128625408");
  EXPECT_NEAR(std::stod(cell(table, 0, "forward_mean_ms")), 100.3, 1e-6);
  EXPECT_EQ(cell(table, 0, "backward_forward_ratio"), "2");
  EXPECT_EQ(cell(table, 0, "measure_steps"), "10");
  EXPECT_EQ(cell(table, 0, "error"), "");
}

TEST(SeparateCsvTest, UnmeasuredRowsHaveEmptyNumbersAndTheReason) {
  const CsvTable table = separate_csv(plain_rows());
  EXPECT_EQ(cell(table, 2, "forward_mean_ms"), "");
  EXPECT_EQ(cell(table, 2, "total_mean_ms"), "");
  EXPECT_EQ(cell(table, 2, "backward_forward_ratio"), "");
  EXPECT_EQ(cell(table, 2, "error"), "needs 54 GiB, 8 GiB are available");
}

TEST(SeparateCsvTest, OtherSettingsAppendOnlyTheColumnsTheyNeed) {
  Rows rows = plain_rows();
  rows[1]["settings"]["precision"] = "bf16";
  const CsvTable table = separate_csv(rows);
  EXPECT_THAT(to_csv(table), StartsWith(std::string(kSeparateHeader) + ",precision,"));
  EXPECT_EQ(cell(table, 0, "precision"), "fp32");
  EXPECT_EQ(cell(table, 1, "precision"), "bf16");
  EXPECT_THAT(table.header, Not(Contains("mode")));
  EXPECT_THAT(table.header, Not(Contains("optimizer_mean_ms")));
  EXPECT_THAT(table.header, Not(Contains("energy_j")));
  EXPECT_THAT(table.header, Not(Contains("warnings")));
}

TEST(SeparateCsvTest, StepsAppendOptimizerThroughputAndMemory) {
  Rows rows{testing::step_row("small", 128'625'408, 128, 0.1)};
  rows[0]["warnings"] = {"first", "second"};
  rows[0]["energy_j"] = 12.5;
  rows[0]["host_launch"] = testing::stats(0.002);
  const CsvTable table = separate_csv(rows);
  EXPECT_NEAR(std::stod(cell(table, 0, "optimizer_mean_ms")), 20.06, 1e-6);
  EXPECT_EQ(cell(table, 0, "peak_memory_bytes"), "3221225472");
  EXPECT_EQ(cell(table, 0, "mfu_percent"), "41");
  EXPECT_EQ(cell(table, 0, "warnings"), "first; second");
  EXPECT_EQ(cell(table, 0, "energy_j"), "12.5");
  EXPECT_EQ(cell(table, 0, "total_median_ms"), "320.32");
  EXPECT_EQ(cell(table, 0, "host_launch_median_ms"), "2.002");
}

TEST(SeparateCsvTest, ImagesHaveASizeInPlaceOfAContext) {
  Rows rows{testing::plain_row("resnet18", 11'181'642, 0, 0.1)};
  rows[0]["settings"].erase("context_length");
  rows[0]["settings"]["image_size"] = 32;
  const CsvTable table = separate_csv(rows);
  EXPECT_EQ(cell(table, 0, "context_length"), "");
  EXPECT_EQ(cell(table, 0, "image_size"), "32");
}

TEST(SeparateCsvTest, TwoDevicesAreTold) {
  Rows rows = plain_rows();
  rows[1]["settings"]["device"] = "cuda:0";
  EXPECT_EQ(cell(separate_csv(rows), 1, "device"), "cuda:0");
}

TEST(DirectCsvTest, OneTimeARowIsTheTotal) {
  Rows rows = plain_rows();
  for (Json& row : rows) row["phases_asked"] = {"forward+backward"};
  const CsvTable table = direct_csv(rows);
  EXPECT_THAT(to_csv(table),
              StartsWith("model_size,num_params,context_length,batch_size,warmup_steps,"
                         "measure_steps,time_mean_ms,time_std_ms,time_cv_percent,error\n"));
  EXPECT_NEAR(std::stod(cell(table, 0, "time_mean_ms")), 300.9, 1e-6);
}

TEST(WarmupCsvTest, ALineAPoint) {
  const CsvTable table = warmup_csv(testing::warmup_study());
  EXPECT_THAT(to_csv(table), StartsWith("warmup_steps,mean_time_ms,std_time_ms,cv_percent\n0,"));
  EXPECT_EQ(table.rows.size(), 5U);
  EXPECT_TRUE(warmup_csv(Json::object()).rows.empty());
}

TEST(BenchReaderTableTest, ColumnsThatNoRowFillsAreLeftOut) {
  const std::string text = to_markdown(bench_reader_table(plain_rows()));
  EXPECT_THAT(text, HasSubstr("Forward (ms)"));
  EXPECT_THAT(text, Not(HasSubstr("Optimizer")));
  EXPECT_THAT(text, Not(HasSubstr("Energy")));
  EXPECT_THAT(text, HasSubstr("skipped: needs 54 GiB"));
}

TEST(BenchTableTest, FilesOfAWholeRunStayAsTheyAre) {
  const Rows rows = testing::full_run().rows;
  testing::expect_golden("separate.csv", to_csv(separate_csv(rows)));
  testing::expect_golden("separate_plain.csv", to_csv(separate_csv(plain_rows())));
  testing::expect_golden("direct.csv", to_csv(direct_csv(plain_rows())));
  testing::expect_golden("warmup.csv", to_csv(warmup_csv(testing::warmup_study())));
  testing::expect_golden("bench.md", to_markdown(bench_reader_table(rows)));
}

}  // namespace
}  // namespace ridgeline
