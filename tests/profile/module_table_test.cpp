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

const OpRecord& first_of(const Recording& recording, std::string_view module, StepPhase phase) {
  for (const OpRecord& op : recording.ops)
    if (recording.name(op.module) == module && op.phase == phase) return op;
  throw std::out_of_range(std::string(module));
}

TEST(ModuleTableTest, FlopsGoToTheirModuleAndThoseAroundItByPhase) {
  const Recording recording = sample_recording(WithDevice::No);
  ModuleTable table = module_table(recording);
  EXPECT_THAT(to_text(table, 1), ::testing::Not(HasSubstr("FLOP")));
  add_flop(table, recording,
           {{.frame = &first_of(recording, "layers.0", StepPhase::Forward), .flop = {400}},
            {.frame = &first_of(recording, "layers.1", StepPhase::Forward), .flop = {20}},
            {.frame = &first_of(recording, "layers.0", StepPhase::Backward), .flop = {800}},
            {.frame = &first_of(recording, "", StepPhase::Optimizer), .flop = {7}}});
  EXPECT_EQ(table.rows[0].flop(StepPhase::Forward).count, 420);
  EXPECT_EQ(table.rows[0].flop(StepPhase::Backward).count, 800);
  EXPECT_EQ(table.rows[1].flop(StepPhase::Forward).count, 400);
  EXPECT_EQ(table.rows[3].flop(StepPhase::Optimizer).count, 7);
  EXPECT_THAT(to_text(table, 1), HasSubstr("forward FLOP"));
  const CsvTable csv = to_csv_table(table);
  EXPECT_EQ(csv.header.back(), "other_flop");
  EXPECT_EQ(csv.rows[0][csv.header.size() - 4], "420");
  EXPECT_EQ(csv.rows[0].back(), "") << "what is not known is empty";
}

TEST(ModuleTableTest, FlopsOfNoPhaseStandInTheCsvAlone) {
  const Recording recording = sample_recording(WithDevice::No);
  ModuleTable table = module_table(recording);
  OpRecord frame = first_of(recording, "", StepPhase::Optimizer);
  frame.phase = StepPhase::None;
  add_flop(table, recording, {{.frame = &frame, .flop = {7}}});
  EXPECT_THAT(to_text(table, 1), ::testing::Not(HasSubstr("FLOP")));
  EXPECT_EQ(to_csv_table(table).rows.back().back(), "7");
}

TEST(ModuleTableTest, ParametersStandWithTheNearestRowAndAddUp) {
  ModuleTable table = module_table(sample_recording(WithDevice::No));
  add_parameters(table, {{.name = "layers.0.attn.q.weight", .count = 64},
                         {.name = "layers.1.weight", .count = 8},
                         {.name = "scale", .count = 1}});
  EXPECT_EQ(table.rows[0].parameters, 72);
  EXPECT_EQ(table.rows[1].parameters, 64) << "no row of its own";
  EXPECT_EQ(table.rows[3].parameters, 1) << "of no module";
  EXPECT_THAT(to_text(table, 1), HasSubstr("parameters"));
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
