#include "report/training_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::HasSubstr;

const Json kTraining{{"label", "resnet18"},
                     {"steps",
                      {{{"step", 5},
                        {"epoch", 0},
                        {"loss", 2.0},
                        {"accuracy_percent", 20.0},
                        {"learning_rate", 0.1}},
                       {{"step", 10},
                        {"epoch", 0},
                        {"loss", 1.0},
                        {"accuracy_percent", 60.0},
                        {"learning_rate", 0.05}}}},
                     {"epochs",
                      {{{"epoch", 1},
                        {"step", 10},
                        {"loss", 1.5},
                        {"test_loss", 1.25},
                        {"test_accuracy_percent", 55.5}}}},
                     {"summary", {{"end", "finished"}, {"steps", 10}, {"final_loss", 1.0}}}};

TEST(TrainingReportTest, ScoredEpochsGiveARowEach) {
  const CsvTable table = training_csv(kTraining);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(to_csv(table).substr(0, 31), "epoch,step,learning_rate,train_");
  EXPECT_THAT(to_csv(table), HasSubstr("\n1,10,,1.5,,1.25,55.5,"));
}

TEST(TrainingReportTest, WithoutScoresEveryReportIsARow) {
  Json training = kTraining;
  training["epochs"] = Json::array();
  EXPECT_EQ(training_csv(training).rows.size(), 2U);
}

TEST(TrainingReportTest, TheHeldOutLossOfALanguageModelStandsInTheRowThatEndedItsEpoch) {
  Json training = kTraining;
  training["held_out_tokens"] = 600;
  training["epochs"][0].erase("test_accuracy_percent");
  const CsvTable table = training_csv(training);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.header.back(), "held_out_loss");
  EXPECT_EQ(table.rows[0].back(), "");
  EXPECT_EQ(table.rows[1].back(), "1.25");
}

TEST(TrainingReportTest, BytesAreWholeNumbers) {
  Json training = kTraining;
  training["summary"]["peak_bytes"] = 186802176.0;
  EXPECT_THAT(training_reader_table(training).rows,
              testing::Contains(std::vector<std::string>{"peak_bytes", "186802176"}));
}

TEST(TrainingReportTest, CurvesHaveTrainAndTest) {
  const Figure figure = training_figure(kTraining);
  ASSERT_EQ(figure.panels.size(), 3U);  // no speed was reported
  EXPECT_EQ(figure.panels[0].series.size(), 2U);
  EXPECT_EQ(figure.panels[1].series[1].points[0].y, 55.5);
}

TEST(TrainingReportTest, ThePageEscapesWhatItShows) {
  Json training = kTraining;
  training["summary"]["end"] = "<script>";
  const auto section = training_section(training);
  ASSERT_TRUE(section.has_value());
  EXPECT_THAT(section->body, HasSubstr("&lt;script&gt;"));
}

TEST(TrainingReportTest, NoTrainingIsNoSection) {
  EXPECT_FALSE(training_section(std::nullopt).has_value());
}

}  // namespace
}  // namespace ridgeline
