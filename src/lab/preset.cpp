#include "lab/preset.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/resources.h"
#include "core/text.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestPreset{1e6};
constexpr std::size_t kMostSteps = 1000;

[[noreturn]] void refuse(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  if (mark.is_null()) throw bad_input(fmt::format("{}: {}", name, what));
  throw bad_input(fmt::format("{}:{}:{}: {}", name, mark.line + 1, mark.column + 1, what));
}

std::string text_of(const YAML::Node& parent, const char* key, const std::string& name) {
  const YAML::Node value = parent[key];
  if (!value || !value.IsScalar())
    refuse(name, parent.Mark(), fmt::format("'{}' is missing or is not text", key));
  return value.as<std::string>();
}

std::vector<std::string> words_of(const std::string& command, const YAML::Node& node,
                                  const std::string& name) {
  try {
    return split_words(command);
  } catch (const Error& error) {
    refuse(name, node.Mark(), error.what());
  }
}

PresetStep step_of(const YAML::Node& node, const std::string& name) {
  if (!node.IsMap()) refuse(name, node.Mark(), "a step has 'title' and 'run'");
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    if (key != "title" && key != "run" && key != "needs")
      refuse(name, entry.first.Mark(),
             fmt::format("unknown key '{}'; a step has 'title', 'run' and perhaps 'needs'", key));
  }
  PresetStep step{.title = text_of(node, "title", name),
                  .arguments = words_of(text_of(node, "run", name), node, name)};
  if (step.arguments.empty()) refuse(name, node.Mark(), "'run' names no command");
  if (step.arguments.front() == "run") refuse(name, node.Mark(), "a preset cannot run presets");
  if (node["needs"]) step.needs = text_of(node, "needs", name);
  if (!step.needs.empty() && step.needs != "gpu")
    refuse(name, node["needs"].Mark(), "a step can need 'gpu' and nothing else");
  return step;
}

std::map<std::string, std::string> options_of(const YAML::Node& root, const std::string& name) {
  std::map<std::string, std::string> options;
  const YAML::Node node = root["options"];
  if (!node) return options;
  if (!node.IsMap()) refuse(name, node.Mark(), "'options' is a map of names and defaults");
  for (const auto& entry : node) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar())
      refuse(name, node.Mark(), "'options' is a map of names and defaults");
    options[entry.first.as<std::string>()] = entry.second.as<std::string>();
  }
  return options;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') throw bad_input(fmt::format("unclosed quote in: {}", text));
  if (in_word) words.push_back(word);
  return words;
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'") == std::string::npos;
    const char* const quote = plain ? "" : word.find('"') == std::string::npos ? "\"" : "'";
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", quote, word, quote);
  }
  return text;
}

Preset parse_preset(std::string_view yaml, const std::string& name) try {
  const YAML::Node root = YAML::Load(std::string(yaml));
  if (!root.IsMap()) refuse(name, root.Mark(), "a preset is a map with 'title' and 'steps'");
  Preset preset{.name = name,
                .title = text_of(root, "title", name),
                .steps = {},
                .options = options_of(root, name)};
  const YAML::Node steps = root["steps"];
  if (!steps || !steps.IsSequence() || steps.size() == 0)
    refuse(name, root.Mark(), "'steps' is missing or empty");
  if (steps.size() > kMostSteps)
    refuse(name, steps.Mark(), fmt::format("more than {} steps", kMostSteps));
  for (const YAML::Node& step : steps) preset.steps.push_back(step_of(step, name));
  return preset;
} catch (const YAML::Exception& error) {
  refuse(name, error.mark, error.msg);
}

Preset with_choices(Preset preset, const std::map<std::string, std::string>& chosen) {
  for (const auto& [option, value] : chosen) {
    if (!preset.options.contains(option))
      throw bad_input(fmt::format("{} has nothing for --{} to choose", preset.name, option));
    preset.options[option] = value;
  }
  for (PresetStep& step : preset.steps) {
    for (std::string& word : step.arguments) {
      for (const auto& [option, value] : preset.options)
        replace_all(word, "{" + option + "}", value);
    }
  }
  return preset;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  if (const auto folder = find_resource("presets")) {
    for (const auto& file : fs::directory_iterator(*folder))
      names.push_back(file.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Preset find_preset(const std::string& word) {
  if (word.ends_with(".yaml") || word.ends_with(".yml"))
    return parse_preset(read_file(word, kLargestPreset), word);
  const auto names = preset_names();
  if (std::ranges::find(names, word) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw bad_input(unknown_word("preset", word, views) + "; or a .yaml file");
  }
  return parse_preset(read_file(*find_resource("presets/" + word + ".yaml"), kLargestPreset), word);
}

}  // namespace ridgeline
