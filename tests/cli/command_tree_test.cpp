#include "cli/command_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two commands, one of them hidden.
struct Program {
  Program() {
    CLI::App* const bench = app.add_subcommand("bench", "time it");
    bench->add_option("model", word, "which")->required();
    bench->add_option("--size,--model-size", word, "how large");
    bench->add_flag("--fit", flag, "reduce");
    bench->add_option("--secret", word)->group("");
    app.add_subcommand("child", "")->group("");
    app.add_subcommand("doctor", "look");
  }
  CLI::App app{"program"};
  std::string word{};
  bool flag = false;
};

std::vector<std::string> names(const std::vector<FlagInfo>& flags) {
  std::vector<std::string> all;
  for (const FlagInfo& flag : flags) all.push_back(flag.name);
  return all;
}

TEST(CommandTreeTest, VisibleCommandsAndEverySpellingOfTheirFlagsAreListed) {
  const Program program;
  const auto commands = visible_commands(program.app);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].name, "bench");
  EXPECT_EQ(commands[0].description, "time it");
  EXPECT_THAT(names(commands[0].flags), ElementsAre("--help", "--size", "--model-size", "--fit"));
  EXPECT_TRUE(commands[0].flags[1].takes_value);
  EXPECT_EQ(commands[0].flags[1].description, "how large");
  EXPECT_FALSE(commands[0].flags[3].takes_value);
  EXPECT_EQ(commands[1].name, "doctor");
}

TEST(CommandTreeTest, AnUnknownCommandGetsTheNearestAndTheListOfAll) {
  const Program program;
  const auto refusal = [&](const char* word) {
    return message_of(Fault::BadInput, [&] { require_known_command(program.app, {word, "x"}); });
  };
  EXPECT_EQ(refusal("docter"),
            "unknown command 'docter' (did you mean 'doctor'?); one of: bench, doctor");
  EXPECT_EQ(refusal("cat"), "unknown command 'cat'; one of: bench, doctor");
}

TEST(CommandTreeTest, KnownAndHiddenCommandsAndFlagsPass) {
  const Program program;
  for (const char* word : {"bench", "child", "--help", "-x"})
    EXPECT_NO_THROW(require_known_command(program.app, {word})) << word;
  EXPECT_NO_THROW(require_known_command(program.app, {}));
}

TEST(CommandTreeTest, AnUnknownFlagGetsTheNearest) {
  const Program program;
  const CLI::App& bench = *program.app.get_subcommand("bench");
  EXPECT_THAT(flag_hint(bench, "--modle-size"), HasSubstr("'--model-size'"));
  EXPECT_THAT(flag_hint(bench, "--sise=3"), HasSubstr("'--size'"));
  EXPECT_EQ(flag_hint(bench, "--completely-else"), "");
  EXPECT_EQ(flag_hint(bench, "stray"), "");
}

}  // namespace
}  // namespace ridgeline
