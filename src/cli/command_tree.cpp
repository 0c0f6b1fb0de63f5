#include "cli/command_tree.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

template <class Named>
std::vector<std::string_view> names_of(const std::vector<Named>& things) {
  std::vector<std::string_view> names;
  for (const Named& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace

std::vector<FlagInfo> visible_flags(const CLI::App& command) {
  std::vector<FlagInfo> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames())
      flags.push_back({.name = "--" + name,
                       .description = option->get_description(),
                       .takes_value = option->get_items_expected_max() > 0});
  }
  return flags;
}

std::vector<CommandInfo> visible_commands(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    commands.push_back({.name = command->get_name(),
                        .description = command->get_description(),
                        .flags = visible_flags(*command)});
  }
  return commands;
}

void require_known_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  const auto is_meant = [&](const CLI::App* command) {
    return command->check_name(arguments.front());
  };
  if (!app.get_subcommands(is_meant).empty()) return;
  const auto commands = visible_commands(app);
  throw bad_input(unknown_word("command", arguments.front(), names_of(commands)));
}

std::string flag_hint(const CLI::App& command, const std::string& word) {
  if (!word.starts_with("--")) return {};
  const auto flags = visible_flags(command);
  const auto near = nearest(word.substr(0, word.find('=')), names_of(flags));
  return near ? fmt::format(" (did you mean '{}'?)", *near) : std::string();
}

}  // namespace ridgeline
