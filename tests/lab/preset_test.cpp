#include "lab/preset.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kGood = R"(title: "Two things: a & b"
steps:
  - title: What this machine has
    run: doctor
  - title: Two layouts
    run: bench resnet18 --ab "--memory-format contiguous" '--memory-format channels-last'
)";

std::string refusal(const std::string& yaml) {
  return message_of(Fault::BadInput, [&] { (void)parse_preset(yaml, "mine.yaml"); });
}

TEST(ParsePresetTest, TitleAndStepsAreReadInOrder) {
  const Preset preset = parse_preset(kGood, "mine.yaml");
  EXPECT_EQ(preset.name, "mine.yaml");
  EXPECT_EQ(preset.title, "Two things: a & b");
  ASSERT_EQ(preset.steps.size(), 2U);
  EXPECT_EQ(preset.steps[0].title, "What this machine has");
  EXPECT_THAT(preset.steps[0].arguments, ElementsAre("doctor"));
  EXPECT_THAT(preset.steps[1].arguments,
              ElementsAre("bench", "resnet18", "--ab", "--memory-format contiguous",
                          "--memory-format channels-last"));
}

TEST(ParsePresetTest, WhatIsNoMapIsRefused) {
  for (const char* yaml : {"", "3", "text", "- a\n- b", "~", "[]"}) {
    EXPECT_THAT(refusal(yaml), HasSubstr("a preset is a map")) << yaml;
  }
}

TEST(ParsePresetTest, MissingKeysAreNamed) {
  EXPECT_THAT(refusal("steps:\n  - {title: a, run: doctor}"), HasSubstr("'title'"));
  EXPECT_THAT(refusal("title: t"), HasSubstr("'steps'"));
  EXPECT_THAT(refusal("title: t\nsteps: []"), HasSubstr("'steps'"));
  EXPECT_THAT(refusal("title: t\nsteps:\n  - run: doctor"), HasSubstr("'title'"));
  EXPECT_THAT(refusal("title: t\nsteps:\n  - title: a"), HasSubstr("'run'"));
}

TEST(ParsePresetTest, WrongTypesAreRefused) {
  EXPECT_THAT(refusal("title: [a]\nsteps:\n  - {title: a, run: doctor}"), HasSubstr("not text"));
  EXPECT_THAT(refusal("title: t\nsteps: {a: b}"), HasSubstr("'steps'"));
  EXPECT_THAT(refusal("title: t\nsteps: doctor"), HasSubstr("'steps'"));
  EXPECT_THAT(refusal("title: t\nsteps:\n  - doctor"), HasSubstr("a step has"));
  EXPECT_THAT(refusal("title: t\nsteps:\n  - {title: a, run: [doctor]}"), HasSubstr("'run'"));
  (void)refusal("title: t\nsteps:\n  - {[1]: a, run: doctor}");
}

TEST(ParsePresetTest, AnUnknownKeyIsNamedWithItsPlace) {
  const std::string message = refusal("title: t\nsteps:\n  - title: a\n    runs: doctor\n");
  EXPECT_THAT(message, StartsWith("mine.yaml:4:5: "));
  EXPECT_THAT(message, HasSubstr("'runs'"));
}

TEST(ParsePresetTest, AnEmptyCommandIsRefused) {
  EXPECT_THAT(refusal("title: t\nsteps:\n  - {title: a, run: '  '}"),
              HasSubstr("names no command"));
}

TEST(ParsePresetTest, APresetMayNotRunPresets) {
  EXPECT_THAT(refusal("title: t\nsteps:\n  - {title: a, run: run quickstart}"),
              HasSubstr("cannot run presets"));
}

TEST(ParsePresetTest, ThousandStepsAreEnough) {
  std::string yaml = "title: t\nsteps:\n";
  for (int i = 0; i < 1000; ++i) yaml += "  - {title: a, run: doctor}\n";
  EXPECT_EQ(parse_preset(yaml, "mine.yaml").steps.size(), 1000U);
  EXPECT_THAT(refusal(yaml + "  - {title: a, run: doctor}\n"), HasSubstr("more than 1000 steps"));
}

TEST(ParsePresetTest, ASyntaxErrorIsGivenWithLineAndColumn) {
  EXPECT_THAT(refusal("title: t\nsteps:\n  - title: \"unclosed\n"),
              testing::MatchesRegex("mine\\.yaml:[0-9]+:[0-9]+: .*"));
  EXPECT_THAT(refusal("title: t\n\tsteps: x\n"), StartsWith("mine.yaml:2:"));
}

TEST(ParsePresetTest, AnUnclosedQuoteInACommandIsRefused) {
  EXPECT_THAT(refusal("title: t\nsteps:\n  - {title: a, run: 'bench \"x'}"),
              AllOf(StartsWith("mine.yaml:3:"), HasSubstr("unclosed quote")));
}

TEST(ParsePresetTest, DeepNestingIsRefusedRatherThanOverflowing) {
  (void)refusal("title: " + std::string(100'000, '['));
}

// A truncated or damaged file is either still a preset or one clear refusal; nothing else.
TEST(ParsePresetTest, TruncatedAndDamagedPresetsNeverCrash) {
  const std::string good = kGood;
  const auto try_to_parse = [](const std::string& yaml) {
    try {
      (void)parse_preset(yaml, "mine.yaml");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::BadInput) << yaml;
      EXPECT_STRNE(error.what(), "") << yaml;
    }
  };
  for (std::size_t length = 0; length < good.size(); ++length) try_to_parse(good.substr(0, length));
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = good;
    for (int j = 0; j < 3; ++j)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    try_to_parse(damaged);
  }
}

TEST(SplitWordsTest, BlanksSeparateAndQuotesHoldTogether) {
  EXPECT_THAT(split_words("  a  b\tc\nd "), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(split_words("a \"b c\" 'd \"e'"), ElementsAre("a", "b c", "d \"e"));
  EXPECT_THAT(split_words("--x=\"a b\"c"), ElementsAre("--x=a bc"));
  const std::vector<std::string> words{"bench", "--ab", "--mode eager", "", "say \"x\" y"};
  EXPECT_EQ(split_words(join_words(words)), words);
  EXPECT_THAT(split_words("\"\" a"), ElementsAre("", "a"));
  EXPECT_THAT(split_words(" "), ElementsAre());
}

TEST(SplitWordsTest, AnUnclosedQuoteIsRefused) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)split_words("a 'b"); }),
              HasSubstr("unclosed quote"));
}

TEST(FindPresetTest, ThePresetsOfTheProgramAreListedAndParse) {
  EXPECT_THAT(preset_names(), Contains("quickstart"));
  for (const std::string& name : preset_names())
    EXPECT_FALSE(find_preset(name).steps.empty()) << name;
}

TEST(FindPresetTest, AnUnknownNameGetsTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)find_preset("quikstart"); }),
              HasSubstr("did you mean 'quickstart'"));
}

TEST(FindPresetTest, AFileIsReadWhereItIs) {
  const TemporaryFolder folder;
  folder.put("mine.yaml", kGood);
  EXPECT_EQ(find_preset((folder.path() / "mine.yaml").string()).steps.size(), 2U);
  (void)message_of(Fault::Io, [&] { (void)find_preset((folder.path() / "none.yaml").string()); });
}

TEST(WithChoicesTest, NamesInBracesBecomeTheChoiceOrTheDefault) {
  const Preset preset = parse_preset(
      "title: T\noptions:\n  data: cifar10\nsteps:\n  - title: t\n    run: train x --data {data}\n",
      "mine");
  EXPECT_EQ(join_words(with_choices(preset, {}).steps[0].arguments), "train x --data cifar10");
  EXPECT_EQ(join_words(with_choices(preset, {{"data", "a b"}}).steps[0].arguments),
            "train x --data \"a b\"");
}

TEST(WithChoicesTest, AChoiceThatThePresetDoesNotOfferIsRefused) {
  const Preset preset = parse_preset("title: T\nsteps:\n  - title: t\n    run: doctor\n", "mine");
  EXPECT_THROW((void)with_choices(preset, {{"data", "synthetic"}}), Error);
}

TEST(ParsePresetTest, AStepCanNeedAGpuAndNothingElse) {
  const auto parsed = [](const std::string& need) {
    return parse_preset(
        "title: T\nsteps:\n  - title: t\n    run: doctor\n    needs: " + need + "\n", "mine");
  };
  EXPECT_EQ(parsed("gpu").steps[0].needs, "gpu");
  EXPECT_THROW((void)parsed("luck"), Error);
}

}  // namespace
}  // namespace ridgeline
