#include "report/run_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;

TEST(RunNamesTest, RunsAreCalledByWhatDiffers) {
  const RunNames batches = names_of_runs(
      {"resnet18 cpu fp32 eager, 32², batch 1", "resnet18 cpu fp32 eager, 32², batch 2"});
  EXPECT_EQ(batches.common, "resnet18 cpu fp32 eager, 32²");
  EXPECT_THAT(batches.own, ElementsAre("batch 1", "batch 2"));
  const RunNames both = names_of_runs({"resnet18 cpu fp32, batch 1", "resnet18 cpu bf16, batch 2"});
  EXPECT_EQ(both.common, "resnet18 cpu");
  EXPECT_THAT(both.own, ElementsAre("fp32, batch 1", "bf16, batch 2"));
}

TEST(RunNamesTest, LabelsOfAnotherFormStandWhole) {
  EXPECT_THAT(names_of_runs({"before", "after"}).own, ElementsAre("before", "after"));
  EXPECT_EQ(names_of_runs({"before", "after"}).common, "");
  EXPECT_THAT(names_of_runs({"resnet18, batch 1", "mine"}).own,
              ElementsAre("resnet18, batch 1", "mine"));
  EXPECT_THAT(names_of_runs({"a b", "a b c"}).own, ElementsAre("a b", "a b c"));
  EXPECT_THAT(names_of_runs({"alone, batch 1"}).own, ElementsAre("alone, batch 1"));
}

TEST(RunNamesTest, RunsOfOneNameAreNumbered) {
  const RunNames names = names_of_runs({"a, b", "a, b", "a, b"});
  EXPECT_THAT(names.own, ElementsAre("a, b (1)", "a, b (2)", "a, b (3)"));
  EXPECT_THAT(names_of_runs({"", ""}).own, ElementsAre(" (1)", " (2)"));
}

}  // namespace
}  // namespace ridgeline
