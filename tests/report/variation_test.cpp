#include "report/variation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/sample_rows.h"

namespace ridgeline {
namespace {

std::vector<std::string> keys(const std::vector<SettingName>& names) {
  std::vector<std::string> out;
  for (const auto& name : names) out.emplace_back(name.key);
  return out;
}

TEST(VariationTest, OnlyWhatDiffersVaries) {
  Rows rows{testing::plain_row("small", 1, 128, 0.1), testing::plain_row("small", 1, 256, 0.1)};
  EXPECT_THAT(keys(varying_settings(rows)), ::testing::ElementsAre("context_length"));
  rows[1]["settings"]["precision"] = "bf16";
  EXPECT_THAT(keys(varying_settings(rows)), ::testing::ElementsAre("context_length", "precision"));
}

TEST(VariationTest, ASettingThatOneRowLacksVaries) {
  Rows rows{testing::plain_row("small", 1, 128, 0.1), testing::plain_row("small", 1, 128, 0.1)};
  rows[1]["settings"].erase("threads");
  EXPECT_THAT(keys(varying_settings(rows)), ::testing::ElementsAre("threads"));
}

TEST(VariationTest, AHeadWidthThatFollowsFromTheSizeIsNotTold) {
  Rows rows{testing::plain_row("small", 1, 128, 0.1), testing::plain_row("2.7B", 2, 128, 0.1)};
  rows[1]["settings"]["head_dim"] = 80;
  EXPECT_THAT(keys(varying_settings(rows)), ::testing::IsEmpty());
  rows.push_back(testing::plain_row("small", 1, 128, 0.1));
  rows[2]["settings"]["head_dim"] = 16;
  EXPECT_THAT(keys(varying_settings(rows)), ::testing::ElementsAre("head_dim"));
}

TEST(VariationTest, UnusualSettingsAreToldEvenWhenAllAgree) {
  Rows rows{testing::plain_row("small", 1, 128, 0.1)};
  EXPECT_THAT(keys(telling_settings(rows)), ::testing::ElementsAre("context_length", "batch_size"));
  rows[0]["settings"]["tf32"] = true;
  rows[0]["settings"]["mode"] = "graph";
  EXPECT_THAT(keys(telling_settings(rows)),
              ::testing::ElementsAre("context_length", "batch_size", "tf32", "mode"));
}

TEST(VariationTest, TitlesTellRowsApart) {
  Rows rows{testing::plain_row("small", 1, 128, 0.1), testing::plain_row("small", 1, 256, 0.1)};
  EXPECT_THAT(row_titles(rows), ::testing::ElementsAre("context 128", "context 256"));
  rows[1] = testing::plain_row("medium", 1, 128, 0.1);
  EXPECT_THAT(row_titles(rows), ::testing::ElementsAre("small", "medium"));
  rows[1]["settings"]["kernels"] = "fused";
  EXPECT_THAT(row_titles(rows), ::testing::ElementsAre("small, plain", "medium, fused"));
}

TEST(VariationTest, RowsOfAnyShapeAreRead) {
  const Rows rows{Json::object(), Json::array(), Json(3), {{"settings", 5}}, {{"label", 7}}};
  EXPECT_THAT(varying_settings(rows), ::testing::SizeIs(0));
  EXPECT_THAT(row_titles(rows), ::testing::Each(""));
}

}  // namespace
}  // namespace ridgeline
