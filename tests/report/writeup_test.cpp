#include "report/writeup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/golden.h"
#include "report/sample_rows.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json exact_row() {
  Json row = testing::plain_row("small", 128'625'408, 256, 0.1);
  row["phases"]["forward"] = {{"count", 10},
                              {"median_s", 0.152},
                              {"mean_s", 0.1523},
                              {"std_s", 0.00845},
                              {"cv_percent", 5.5483}};
  row["phases"]["backward"] = {{"count", 10},
                               {"median_s", 0.3},
                               {"mean_s", 0.3046},
                               {"std_s", 0.0091},
                               {"cv_percent", 2.9875}};
  return row;
}

TEST(WriteupTest, TheBlockReadsAsTheExerciseAsks) {
  EXPECT_EQ(writeup({exact_row()}),
            "small model (128.6M parameters):\n"
            "  Forward pass:  152.30 ± 8.45 ms (CV: 5.55%)\n"
            "  Backward pass: 304.60 ± 9.10 ms (CV: 2.99%)\n"
            "  Ratio: Backward is 2.00x forward\n");
}

TEST(WriteupTest, ANoisyRowGetsAdvice) {
  Json row = exact_row();
  row["phases"]["forward"]["cv_percent"] = 10.0;
  EXPECT_THAT(writeup({row}), Not(HasSubstr("raise")));
  row["phases"]["forward"]["cv_percent"] = 10.01;
  EXPECT_THAT(writeup({row}), HasSubstr("raise the warm-up steps and the measured steps"));
}

TEST(WriteupTest, OptimizerAndStepAppearWhereMeasured) {
  const std::string text = writeup({testing::step_row("small", 128'625'408, 256, 0.1)});
  EXPECT_THAT(text, HasSubstr("  Optimizer:     20"));
  EXPECT_THAT(text, HasSubstr("  Step:          32"));
}

TEST(WriteupTest, UnmeasuredRowsSayWhy) {
  EXPECT_EQ(writeup({testing::unmeasured_row("skipped", "too large")}),
            "2.7B model (3.41B parameters):\n  Skipped: too large\n");
  EXPECT_THAT(writeup({testing::unmeasured_row("failed", "out of memory")}),
              HasSubstr("  Failed: out of memory\n"));
}

TEST(WriteupTest, RowsOfOneSizeAreToldApartByWhatVaries) {
  const std::string text = writeup({testing::plain_row("small", 128'625'408, 128, 0.1),
                                    testing::plain_row("small", 128'625'408, 256, 0.2)});
  EXPECT_THAT(text, HasSubstr("small model (128.6M parameters), context 256:\n"));
}

TEST(WriteupTest, AWholeRunReadsWell) {
  testing::expect_golden("writeup.txt", writeup(testing::full_run().rows));
}

}  // namespace
}  // namespace ridgeline
