#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

// A workflow as data: commands of the program in order, each with a line that says what it is for.
struct PresetStep {
  std::string title;
  std::vector<std::string> arguments;  // "bench", "tiny-llama", "--phase", ...
  std::string needs{};                 // "gpu": skipped where there is none
};
struct Preset {
  std::string name;
  std::string title;
  std::vector<PresetStep> steps;
  // What whoever runs it may choose: a name, and what stands for "{name}" in the steps unless they
  // do.
  std::map<std::string, std::string> options{};
};

// Error(BadInput) with name, line and column for anything that is not a preset.
[[nodiscard]] Preset parse_preset(std::string_view yaml, const std::string& name);

// `word` is the name of a preset that comes with the program or a path to a YAML file.
[[nodiscard]] Preset find_preset(const std::string& word);
[[nodiscard]] std::vector<std::string> preset_names();

// The preset with "{name}" in its steps replaced, by what was chosen or else by the default. Throws
// Error(BadInput) for a choice that the preset does not offer.
[[nodiscard]] Preset with_choices(Preset preset, const std::map<std::string, std::string>& chosen);

// Words as a shell splits them: blanks separate, quotes hold together.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
// The other way: what split_words takes apart again.
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);

}  // namespace ridgeline
