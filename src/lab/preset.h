#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

// A workflow as data: commands of the program in order, each with a line that says what it is for.
struct PresetStep {
  std::string title;
  std::vector<std::string> arguments;  // "bench", "tiny-llama", "--phase", ...
};
struct Preset {
  std::string name;
  std::string title;
  std::vector<PresetStep> steps;
};

// Error(BadInput) with name, line and column for anything that is not a preset.
[[nodiscard]] Preset parse_preset(std::string_view yaml, const std::string& name);

// `word` is the name of a preset that comes with the program or a path to a YAML file.
[[nodiscard]] Preset find_preset(const std::string& word);
[[nodiscard]] std::vector<std::string> preset_names();

// Words as a shell splits them: blanks separate, quotes hold together.
[[nodiscard]] std::vector<std::string> split_words(std::string_view text);
// The other way: what split_words takes apart again.
[[nodiscard]] std::string join_words(const std::vector<std::string>& words);

}  // namespace ridgeline
