#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace ridgeline {

struct FlagInfo {
  std::string name;  // "--batch-size"
  std::string description;
  bool takes_value = false;
};

// A command as its parser has it, for whoever speaks about commands: "did you mean", completions.
struct CommandInfo {
  std::string name;
  std::string description;
  std::vector<FlagInfo> flags;       // every spelling is one
  std::vector<std::string> words{};  // what may stand without a flag: models, presets
};

// What `--help` shows; hidden commands and flags are left out.
[[nodiscard]] std::vector<CommandInfo> visible_commands(const CLI::App& app);
[[nodiscard]] std::vector<FlagInfo> visible_flags(const CLI::App& command);

// Throws Error(BadInput) with the nearest name when the first word is no command.
void require_known_command(const CLI::App& app, const std::vector<std::string>& arguments);

// " (did you mean '--batch-size'?)", or nothing; `word` is a flag that no parser knew.
[[nodiscard]] std::string flag_hint(const CLI::App& command, const std::string& word);

}  // namespace ridgeline
