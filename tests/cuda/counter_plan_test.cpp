#include "cuda/counter_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "roofline/counters.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CounterPlanTest, TheCountersOfARooflineFitIntoAFewPassesOfAnH200) {
  const std::vector<std::string> metrics = roofline_counters();
  const CounterPlan plan("GH100", metrics);
  EXPECT_EQ(plan.metrics(), metrics);
  EXPECT_THAT(plan.unsupported(), IsEmpty());
  EXPECT_GE(plan.passes(), 2);
  EXPECT_LE(plan.passes(), 12);
  EXPECT_FALSE(plan.config().empty());
}

TEST(CounterPlanTest, OneCounterNeedsOnePass) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum"};
  EXPECT_EQ(CounterPlan("GH100", metrics).passes(), 1);
}

TEST(CounterPlanTest, CountersThatAChipHasNotAreListedAndTheOthersPlanned) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum", "dram__bytes_of_no_chip.sum"};
  const CounterPlan plan("GH100", metrics);
  EXPECT_THAT(plan.metrics(), ElementsAre("dram__bytes_read.sum"));
  EXPECT_THAT(plan.unsupported(), ElementsAre("dram__bytes_of_no_chip.sum"));
}

TEST(CounterPlanTest, OtherChipsCountFlopsAndBytesToo) {
  for (const char* const chip : {"TU104", "GA100", "AD102", "GB100"}) {
    const CounterPlan plan(chip, roofline_counters());
    EXPECT_THAT(plan.metrics(),
                testing::IsSupersetOf(
                    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "lts__t_bytes.sum"}))
        << chip;
  }
}

TEST(CounterPlanTest, AnUnknownChipIsRefusedByName) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum"};
  try {
    const CounterPlan plan("XY999", metrics);
    FAIL() << "planned for a chip that does not exist";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("XY999"));
  }
}

}  // namespace
}  // namespace ridgeline
