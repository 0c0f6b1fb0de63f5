#include "report/verdict_table.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

const std::vector<Json> kVerdicts{{{"a", "--mode eager"},
                                   {"b", "--mode graph"},
                                   {"verdict", "faster"},
                                   {"speedup", 1.5},
                                   {"speedup_low", 1.4},
                                   {"speedup_high", 1.6},
                                   {"confidence", 0.95},
                                   {"rounds", 24},
                                   {"threshold_percent", 1}},
                                  {{"a", "x"}, {"b", "y"}, {"verdict", "inconclusive"}}};

TEST(VerdictTableTest, TheCsvHasALineAComparison) {
  EXPECT_EQ(to_csv(verdict_csv(kVerdicts)),
            "a,b,verdict,speedup,speedup_low,speedup_high,confidence,rounds,threshold_percent\n"
            "--mode eager,--mode graph,faster,1.5,1.4,1.6,0.95,24,1\n"
            "x,y,inconclusive,,,,,,\n");
}

TEST(VerdictTableTest, TheReadersTableGivesTheInterval) {
  const ReaderTable table = verdict_reader_table(kVerdicts);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][4], "1.400–1.600");
  EXPECT_EQ(table.rows[1][4], "–") << "an interval that is not known is not shown as zero";
}

}  // namespace
}  // namespace ridgeline
