#include "cli/completion_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<CommandInfo> commands() {
  return {{.name = "bench",
           .description = "it's quick: \\ see",
           .flags = {{.name = "--size", .description = "a 'b' c", .takes_value = true},
                     {.name = "--fit", .description = "reduce", .takes_value = false}},
           .words = {"resnet18", "transformer"}},
          {.name = "doctor", .description = "look", .flags = {}}};
}

TEST(CompletionScriptTest, BashGetsWordsAndFlagsByCommand) {
  const std::string script = completion_script(Shell::Bash, commands());
  EXPECT_THAT(script, HasSubstr("words='bench doctor'"));
  EXPECT_THAT(script, HasSubstr("bench) flags='--size --fit' words='resnet18 transformer' ;;"));
  EXPECT_THAT(script, HasSubstr("doctor) flags='' words='' ;;"));
  EXPECT_THAT(script, HasSubstr("complete -o default -F _ridgeline ridgeline"));
}

TEST(CompletionScriptTest, ZshGetsDescriptionsInOneQuotedWordEach) {
  const std::string script = completion_script(Shell::Zsh, commands());
  EXPECT_TRUE(script.starts_with("#compdef ridgeline\n"));
  EXPECT_THAT(script, HasSubstr(R"('bench:it'\''s quick: \ see')"));
  EXPECT_THAT(script, HasSubstr(R"('--size:a '\''b'\'' c')"));
  EXPECT_THAT(script, HasSubstr("given=(resnet18 transformer)"));
}

TEST(CompletionScriptTest, FishKnowsWhichFlagsTakeAValue) {
  const std::string script = completion_script(Shell::Fish, commands());
  EXPECT_THAT(script, HasSubstr(R"(-a bench -d 'it\'s quick: \\ see')"));
  EXPECT_THAT(script, HasSubstr(R"(from bench' -l size -r -d 'a \'b\' c')"));
  EXPECT_THAT(script, HasSubstr("from bench' -l fit -d 'reduce'"));
  EXPECT_THAT(script, HasSubstr("from bench' -a 'resnet18 transformer'"));
  EXPECT_THAT(script, Not(HasSubstr("from doctor' -a")));
}

TEST(CompletionScriptTest, AnUnknownShellIsRefused) {
  EXPECT_EQ(parse_shell("zsh"), Shell::Zsh);
  EXPECT_EQ(message_of(Fault::BadInput, [] { (void)parse_shell("fisch"); }),
            "unknown shell 'fisch' (did you mean 'fish'?); one of: bash, zsh, fish");
}

}  // namespace
}  // namespace ridgeline
