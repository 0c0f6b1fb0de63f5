#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/completion_script.h"
#include "lab/preset.h"
#include "models/catalog.h"

namespace ridgeline {
namespace {

constexpr const char* kExamples = R"(Examples:
  ridgeline completions bash > ~/.local/share/bash-completion/completions/ridgeline
  ridgeline completions zsh > ~/.zfunc/_ridgeline
  ridgeline completions fish > ~/.config/fish/completions/ridgeline.fish)";

struct CompletionsFlags {
  std::string shell;
  bool dry_run = false;
};

// What a command's positional argument may be.
std::vector<std::string> words_for(const CLI::App& command) {
  if (command.get_option_no_throw("model") != nullptr) {
    const auto names = model_names();
    return {names.begin(), names.end()};
  }
  if (command.get_option_no_throw("preset") != nullptr) return preset_names();
  if (command.get_option_no_throw("shell") != nullptr) return {"bash", "zsh", "fish"};
  return {};
}

int run_completions(const CLI::App& app, const CompletionsFlags& flags) {
  const Shell shell = parse_shell(flags.shell);
  auto commands = visible_commands(app);
  for (CommandInfo& command : commands)
    command.words = words_for(*app.get_subcommand(command.name));
  if (flags.dry_run) {
    fmt::print("would print a script for {} that completes {} commands\n", flags.shell,
               commands.size());
    return kExitOk;
  }
  fmt::print("{}", completion_script(shell, commands));
  return kExitOk;
}

}  // namespace

void add_completions(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("completions", "print a script that completes commands in your shell");
  command->footer(kExamples);
  const auto flags = std::make_shared<CompletionsFlags>();
  command->add_option("shell", flags->shell, "bash, zsh or fish")->required()->type_name("SHELL");
  command->add_flag("--dry-run", flags->dry_run, "check the words, and stop");
  command->callback([flags, &app, &line] {
    line.chosen = [flags, &app] { return run_completions(app, *flags); };
  });
}

}  // namespace ridgeline
