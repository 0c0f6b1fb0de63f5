#include "cli/completion_script.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"

namespace ridgeline {
namespace {

std::string replaced(std::string_view text, std::string_view characters, std::string_view before) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += before;
    out += c;
  }
  return out;
}

// One word to bash and zsh, whatever is in it.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Fish knows backslashes inside single quotes.
std::string fish_quoted(std::string_view text) {
  return fmt::format("'{}'", replaced(text, "'\\", "\\"));
}

// "name:description", which zsh's _describe splits at the first bare colon.
std::string described(std::string_view name, std::string_view description) {
  return shell_quoted(fmt::format("{}:{}", replaced(name, ":", "\\"), description));
}

std::string joined(const std::vector<CommandInfo>& commands) {
  std::string names;
  for (const CommandInfo& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

std::string joined(const std::vector<FlagInfo>& flags) {
  std::string names;
  for (const FlagInfo& flag : flags) names += (names.empty() ? "" : " ") + flag.name;
  return names;
}

std::string bash_script(const std::vector<CommandInfo>& commands) {
  std::string cases;
  for (const CommandInfo& command : commands)
    cases += fmt::format("      {}) flags={} words={} ;;\n", command.name,
                         shell_quoted(joined(command.flags)),
                         shell_quoted(fmt::format("{}", fmt::join(command.words, " "))));
  return fmt::format(R"(_ridgeline() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} flags='--help --version' words={}
  if [ "$COMP_CWORD" -gt 1 ]; then
    case ${{COMP_WORDS[1]}} in
{}      *) flags= words= ;;
    esac
  fi
  case $word in -*) words=$flags ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _ridgeline ridgeline
)",
                     shell_quoted(joined(commands)), cases);
}

std::string zsh_script(const std::vector<CommandInfo>& commands) {
  std::string names;
  std::string cases;
  for (const CommandInfo& command : commands) {
    names += fmt::format("    {}\n", described(command.name, command.description));
    cases += fmt::format("    {})\n      flags=(\n", command.name);
    for (const FlagInfo& flag : command.flags)
      cases += fmt::format("        {}\n", described(flag.name, flag.description));
    cases += fmt::format("      )\n      given=({})\n      ;;\n", fmt::join(command.words, " "));
  }
  return fmt::format(R"(#compdef ridgeline
_ridgeline() {{
  local -a commands flags given
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
{}  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o flag flags
  else
    (( $#given )) && compadd -a given
    _files
  fi
}}
if [[ $funcstack[1] == _ridgeline ]]; then
  _ridgeline "$@"
else
  compdef _ridgeline ridgeline
fi
)",
                     names, cases);
}

std::string fish_script(const std::vector<CommandInfo>& commands) {
  std::string script;
  for (const CommandInfo& command : commands) {
    script += fmt::format("complete -c ridgeline -f -n __fish_use_subcommand -a {} -d {}\n",
                          command.name, fish_quoted(command.description));
    const std::string within =
        fmt::format("complete -c ridgeline -n '__fish_seen_subcommand_from {}'", command.name);
    for (const FlagInfo& flag : command.flags)
      script += fmt::format("{} -l {}{} -d {}\n", within, flag.name.substr(2),
                            flag.takes_value ? " -r" : "", fish_quoted(flag.description));
    if (!command.words.empty())
      script += fmt::format("{} -a '{}'\n", within, fmt::join(command.words, " "));
  }
  return script;
}

}  // namespace

Shell parse_shell(std::string_view word) {
  if (word == "bash") return Shell::Bash;
  if (word == "zsh") return Shell::Zsh;
  if (word == "fish") return Shell::Fish;
  throw bad_input(unknown_word("shell", word, {"bash", "zsh", "fish"}));
}

std::string completion_script(Shell shell, const std::vector<CommandInfo>& commands) {
  switch (shell) {
    case Shell::Bash:
      return bash_script(commands);
    case Shell::Zsh:
      return zsh_script(commands);
    case Shell::Fish:
      break;
  }
  return fish_script(commands);
}

}  // namespace ridgeline
