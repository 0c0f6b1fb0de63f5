#include "lab/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;

Preset three_steps() {
  return {.name = "mine",
          .title = "Mine",
          .steps = {{.title = "look", .arguments = {"doctor"}},
                    {.title = "time", .arguments = {"bench", "resnet18"}},
                    {.title = "warm", .arguments = {"warmup", "resnet18"}}}};
}

// Carries nothing out; remembers what it was asked to.
struct FakeCommandLine {
  std::vector<std::vector<std::string>> calls{};
  std::vector<int> codes{};
  std::size_t most_calls = 100;

  RunnerHooks hooks() {
    return {.execute =
                [this](const std::vector<std::string>& arguments) {
                  calls.push_back(arguments);
                  return calls.size() <= codes.size() ? codes[calls.size() - 1] : 0;
                },
            .interrupted = [this] { return calls.size() >= most_calls; },
            .started = [](std::size_t, const PresetStep&) {}};
  }
};

TEST(RunPresetTest, StepsRunInOrderAndMeasuringOnesGetAFolder) {
  FakeCommandLine command_line;
  const auto results = run_preset(three_steps(), "runs/x", command_line.hooks());
  EXPECT_THAT(command_line.calls,
              ElementsAre(ElementsAre("doctor"),
                          ElementsAre("bench", "resnet18", "--out", "runs/x/2-bench"),
                          ElementsAre("warmup", "resnet18", "--out", "runs/x/3-warmup")));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_TRUE(results[0].folder.empty());
  EXPECT_EQ(results[1].folder, "runs/x/2-bench");
  EXPECT_EQ(results[2].title, "warm");
}

TEST(RunPresetTest, AStepThatFailsDoesNotKeepTheNextFromRunning) {
  FakeCommandLine command_line{.codes = {1, 3, 0}};
  const auto results = run_preset(three_steps(), "runs/x", command_line.hooks());
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].exit_code, 1);
  EXPECT_EQ(results[1].exit_code, 3);
  EXPECT_EQ(results[2].exit_code, 0);
}

TEST(RunPresetTest, AnInterruptLeavesTheRestOut) {
  FakeCommandLine command_line{.most_calls = 2};
  EXPECT_EQ(run_preset(three_steps(), "runs/x", command_line.hooks()).size(), 2U);
  EXPECT_EQ(command_line.calls.size(), 2U);
}

TEST(RunPresetTest, EveryStepIsAnnouncedBeforeItRuns) {
  FakeCommandLine command_line;
  RunnerHooks hooks = command_line.hooks();
  std::vector<std::pair<std::size_t, std::size_t>> announced;  // index, calls made until then
  hooks.started = [&](std::size_t index, const PresetStep&) {
    announced.emplace_back(index, command_line.calls.size());
  };
  (void)run_preset(three_steps(), "runs/x", hooks);
  EXPECT_EQ(announced, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 1}, {2, 2}}));
}

TEST(RunPresetTest, AStepThatNeedsWhatIsNotHereIsSkippedWithItsReason) {
  FakeCommandLine command_line;
  Preset preset = three_steps();
  preset.steps[1].needs = "gpu";
  RunnerHooks hooks = command_line.hooks();
  hooks.obstacle = [](const std::string& need) { return std::optional("no " + need); };
  const auto results = run_preset(preset, "runs/x", hooks);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[1].skipped, "no gpu");
  EXPECT_TRUE(results[1].folder.empty());
  EXPECT_EQ(command_line.calls.size(), 2U);
  EXPECT_EQ(index_entries(results)[1].note, "skipped: no gpu");
}

TEST(RunPresetTest, ARooflineRunGetsAFolderAndAPlotDoesNot) {
  FakeCommandLine command_line;
  const Preset preset{.name = "mine",
                      .title = "Mine",
                      .steps = {{.title = "run", .arguments = {"roofline", "run", "resnet18"}},
                                {.title = "plot", .arguments = {"roofline", "plot", "x.csv"}}}};
  (void)run_preset(preset, "runs/x", command_line.hooks());
  EXPECT_THAT(command_line.calls,
              ElementsAre(ElementsAre("roofline", "run", "resnet18", "--out", "runs/x/1-roofline"),
                          ElementsAre("roofline", "plot", "x.csv")));
}

TEST(IndexEntriesTest, StepsLinkToTheirReportsAndSayWhenTheyFailed) {
  const auto entries =
      index_entries({{.title = "look", .folder = {}},
                     {.title = "time", .folder = "runs/x/2-bench", .exit_code = 3}});
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].title, "look");
  EXPECT_EQ(entries[0].link, "");
  EXPECT_EQ(entries[0].note, "");
  EXPECT_EQ(entries[1].link, "2-bench/report.html");
  EXPECT_EQ(entries[1].note, "exit code 3");
}

}  // namespace
}  // namespace ridgeline
