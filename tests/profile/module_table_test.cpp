#include "profile/module_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_recording;
using testing::WithDevice;

std::vector<std::string> names_of(const ModuleTable& table) {
  std::vector<std::string> names;
  for (const ModuleRow& row : table.rows) names.push_back(row.name);
  return names;
}

TEST(ModuleTableTest, NamesAboveOthersGetARowAndWhatIsInNoModuleComesLast) {
  const ModuleTable table = module_table(sample_recording(WithDevice::No));
  EXPECT_THAT(names_of(table), ElementsAre("layers", "layers.0", "layers.1", ""));
  EXPECT_EQ(table.rows[0].depth, 0);
  EXPECT_EQ(table.rows[1].depth, 1);
}

TEST(ModuleTableTest, AModuleHasItsForwardAndTheBackwardOfWhatItComputed) {
  const ModuleTable table = module_table(sample_recording(WithDevice::No));
  const ModuleRow& first = table.rows[1];
  EXPECT_EQ(first.forward, 2 * (10 + 150 + 2000));
  EXPECT_EQ(first.backward, 2 * (25 + 4000 + 70));
  EXPECT_EQ(table.rows[0].forward, first.forward + table.rows[2].forward);
  EXPECT_EQ(table.rows[0].self, 0);
  EXPECT_EQ(table.rows[3].optimizer, 2 * (20 + 900));
}

TEST(ModuleTableTest, OutermostModulesAndTheRestAddUpToTheSteps) {
  const ModuleTable table = module_table(sample_recording(WithDevice::No));
  Nanoseconds sum = 0;
  for (const ModuleRow& row : table.rows) {
    if (row.depth == 0) sum += row.total();
  }
  EXPECT_EQ(sum, table.steps);
}

TEST(ModuleTableTest, TheTextGoesAsDeepAsAsked) {
  const ModuleTable table = module_table(sample_recording(WithDevice::No));
  EXPECT_THAT(to_text(table, 1), HasSubstr("layers.1"));
  EXPECT_THAT(to_text(table, 0), ::testing::Not(HasSubstr("layers.1")));
  EXPECT_THAT(to_text(table, 0), HasSubstr("(no module)"));
  EXPECT_EQ(to_csv_table(table).rows.size(), 4);
}

}  // namespace
}  // namespace ridgeline
