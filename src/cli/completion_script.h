#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_tree.h"

namespace ridgeline {

enum class Shell { Bash, Zsh, Fish };
[[nodiscard]] Shell parse_shell(std::string_view word);

// A script that makes the shell complete the program's commands, their flags and words; where none
// fits, files. It holds the words themselves, so that a key press starts no program.
[[nodiscard]] std::string completion_script(Shell shell, const std::vector<CommandInfo>& commands);

}  // namespace ridgeline
