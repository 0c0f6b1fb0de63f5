#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/command_tree.h"
#include "core/build_info.h"
#include "core/error.h"
#include "core/interrupt.h"

namespace ridgeline {
namespace {

constexpr std::array kCommands{add_run,    add_bench,       add_warmup,     add_profile, add_train,
                               add_eval,   add_roofline,    add_report,     add_analyze, add_fetch,
                               add_doctor, add_completions, add_measure_row};

// CLI11 takes a value that starts with dashes for a flag, so `--ab A B` reaches it as two options
// with the value attached; a lone blank stands for an empty arm ("as given"). With fewer than two
// words after it the flag goes alone, and bench says what is missing.
std::vector<std::string> attach_ab_arms(const std::vector<std::string>& arguments) {
  std::vector<std::string> attached;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--ab" && i + 2 < arguments.size()) {
      attached.push_back("--ab-a=" + (arguments[i + 1].empty() ? " " : arguments[i + 1]));
      attached.push_back("--ab-b=" + (arguments[i + 2].empty() ? " " : arguments[i + 2]));
      i += 2;
    } else if (arguments[i] == "--ab") {
      attached.push_back("--ab");
      break;
    } else {
      attached.push_back(arguments[i]);
    }
  }
  return attached;
}

int complain(const std::string& message) {
  fmt::print(stderr, "ridgeline: {}\n", message);
  return kExitUsage;
}

// Words that the parser did not expect may be misspelt flags.
std::string hint_for(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const auto strangers = app.remaining(/*recurse=*/true);
  const bool unexpected = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  return unexpected && !strangers.empty() ? flag_hint(command, strangers.front()) : "";
}

int parse_and_run(CLI::App& app, CommandLine& line) {
  auto reversed = attach_ab_arms(line.arguments);
  std::ranges::reverse(reversed);  // CLI11 takes its arguments from the back
  require_known_command(app, line.arguments);
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    const CLI::App* command = &app;
    std::string name;
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      name += " " + command->get_name();
    }
    return complain(fmt::format("{}{}\nSee 'ridgeline{} --help'.", error.what(),
                                hint_for(app, *command, error), name));
  }
  return line.chosen ? line.chosen() : kExitOk;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  CLI::App app(
      "Ridgeline: how fast is a neural network on this machine, and can the number be believed?",
      "ridgeline");
  const BuildInfo build = build_info();
  app.set_version_flag("--version",
                       fmt::format("ridgeline {} ({})", build.version, build.revision));
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);
  CommandLine line{.arguments = arguments, .chosen = {}};
  for (const auto add : kCommands) add(app, line);
  try {
    return parse_and_run(app, line);
  } catch (const Error& error) {
    fmt::print(stderr, "ridgeline: {}\n", error.what());
    if (interrupted()) return kExitInterrupted;
    return error.fault() == Fault::BadInput ? kExitUsage : kExitFailure;
  } catch (const std::filesystem::filesystem_error& error) {
    // Of a path that cannot be looked at: not ours, so no internal error.
    fmt::print(stderr, "ridgeline: cannot look at '{}': {}\n", error.path1().string(),
               error.code().message());
    return kExitFailure;
  } catch (const std::system_error& error) {
    // What standard output did not take; main() says so.
    if (std::ferror(stdout) != 0) return kExitFailure;
    fmt::print(stderr, "ridgeline: internal error: {}\n", error.what());
    return kExitFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "ridgeline: internal error: {}\n", error.what());
    return kExitFailure;
  }
}

}  // namespace ridgeline
