#include "cli/row_line.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using nlohmann::json;

json times(double median) { return {{"median_s", median}, {"count", 10}}; }

json measured_row() {
  return {{"outcome", "measured"},
          {"phases", {{"forward", times(0.1)}, {"backward", times(0.2)}, {"total", times(0.3)}}},
          {"warnings", json::array()}};
}

TEST(RowLineTest, PhasesStandInTheOrderTheyRun) {
  EXPECT_EQ(row_line(measured_row(), "small"),
            "  small: forward 100.00 ms, backward 200.00 ms, total 300.00 ms (n=10)");
}

TEST(RowLineTest, AnIntervalIsHalfItsWidthInPercent) {
  json row = measured_row();
  row["phases"] = {{"total", times(0.2)}};
  row["phases"]["total"]["median_low_s"] = 0.19;
  row["phases"]["total"]["median_high_s"] = 0.21;
  EXPECT_EQ(row_line(row, "small"), "  small: total 200.00 ms ±5.0% (n=10)");
}

TEST(RowLineTest, ARowWithoutNumbersSaysWhy) {
  const json row{{"outcome", "failed"}, {"reason", "no room"}};
  EXPECT_EQ(row_line(row, "xl"), "  xl: failed: no room");
}

TEST(RowLineTest, WhatWasFittedAndWhatToMindComesBelow) {
  json row = measured_row();
  row["phases"] = {{"total", times(0.2)}};
  row["adjusted"] = "batch 4 -> 2 to fit 20.0 GiB";
  row["warnings"] = {"emulated"};
  EXPECT_EQ(row_line(row, "xl"),
            "  xl: total 200.00 ms (n=10)\n    fitted: batch 4 -> 2 to fit 20.0 GiB\n    warning: "
            "emulated");
}

}  // namespace
}  // namespace ridgeline
