#include "lab/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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

TEST(IndexPageTest, StepsLinkToTheirReportsAndSayWhenTheyFailed) {
  const std::string page =
      index_page(three_steps(), {{.title = "look", .folder = {}},
                                 {.title = "time", .folder = "runs/x/2-bench", .exit_code = 3}});
  EXPECT_THAT(page, HasSubstr("<li>look</li>"));
  EXPECT_THAT(page, HasSubstr("<a href=\"2-bench/report.html\">time</a> (exit code 3)"));
}

TEST(IndexPageTest, WhatComesFromThePresetIsEscaped) {
  Preset preset = three_steps();
  preset.title = "<script>alert(\"1\") & more</script>";
  const std::string page = index_page(preset, {{.title = "a<b>&c", .folder = "runs/x/1-\"bench"}});
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;1&quot;) &amp; more&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;&amp;c"));
  EXPECT_THAT(page, HasSubstr("href=\"1-&quot;bench/report.html\""));
}

}  // namespace
}  // namespace ridgeline
