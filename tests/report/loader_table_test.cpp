#include "report/loader_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run_check.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

Json loader_row(int workers, double images_per_s) {
  const double time = 128 / images_per_s;
  return {{"model", "loader"},
          {"label", "rrc224"},
          {"settings",
           {{"batch_size", 128},
            {"workers", workers},
            {"prefetch", 2},
            {"output", "float"},
            {"image_size", 32}}},
          {"outcome", "measured"},
          {"phases",
           {{"total",
             {{"count", 40},
              {"median_s", time},
              {"mean_s", time},
              {"median_low_s", time / 1.25},
              {"median_high_s", time / 0.8}}}}},
          {"samples_per_s", images_per_s},
          {"samples_per_cpu_s", 9000},
          {"written_bytes_per_s", images_per_s * 602112},
          {"peak", {{"bytes_per_s", 20e9}}},
          {"warnings", Json::array()}};
}

Json failed_loader_row() {
  return {{"model", "loader"},
          {"label", "rrc224"},
          {"settings", {{"batch_size", 128}, {"workers", 4}, {"output", "float"}}},
          {"outcome", "failed"},
          {"reason", "cats/3.jpg: cut off"}};
}

TEST(LoaderTableTest, RowsPassTheCheckOfRunFiles) {
  EXPECT_NO_THROW(check_row(loader_row(1, 8000), "row"));
  EXPECT_NO_THROW(check_row(failed_loader_row(), "row"));
}

TEST(LoaderTableTest, ScalingIsAgainstOneWorkerTimesTheirNumber) {
  const Rows rows{loader_row(0, 7000), loader_row(1, 8000), loader_row(2, 12000)};
  EXPECT_FALSE(scaling_of(rows[0], rows));
  EXPECT_DOUBLE_EQ(scaling_of(rows[1], rows).value(), 1);
  EXPECT_DOUBLE_EQ(scaling_of(rows[2], rows).value(), 0.75);
  EXPECT_FALSE(scaling_of(rows[2], {rows[2]}));
}

TEST(LoaderTableTest, OnlyLoaderRowsAreLoaderRows) {
  EXPECT_TRUE(are_loader_rows({loader_row(1, 1), failed_loader_row()}));
  EXPECT_FALSE(are_loader_rows({}));
  EXPECT_FALSE(are_loader_rows({loader_row(1, 1), Json{{"model", "resnet"}}}));
}

TEST(LoaderTableTest, TheCsvHoldsRatesWithTheirIntervals) {
  const std::string text = to_csv(loader_csv({loader_row(1, 8000), failed_loader_row()}));
  EXPECT_THAT(text, HasSubstr("rrc224,32,float,128,1,2,8000,6400,10000,9000,1,4.816896e+09,1e+10,"
                              "40,\n"));
  EXPECT_THAT(text, HasSubstr("cats/3.jpg: cut off\n"));
}

TEST(LoaderTableTest, PeopleSeeTheRateBesideWhatCopiesWrite) {
  const ReaderTable table = loader_reader_table({loader_row(1, 8000), failed_loader_row()});
  EXPECT_EQ(table.rows[0][4], "8,000 (6,400–10,000)");
  EXPECT_EQ(table.rows[0][7], "4.82");
  EXPECT_EQ(table.rows[0][8], "10.00");
  EXPECT_EQ(table.rows[1][9], "failed: cats/3.jpg: cut off");
}

}  // namespace
}  // namespace ridgeline
