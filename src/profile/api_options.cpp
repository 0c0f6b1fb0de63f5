#include "profile/api_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "core/size_text.h"
#include "core/text.h"

namespace ridgeline {
namespace {

constexpr int kMostSteps = 1'000'000;

struct WholeNumber {
  std::string_view name;
  int ProfileOptions::*member;
  int least;
  int most;
};
constexpr std::array kNumbers{
    WholeNumber{"wait", &ProfileOptions::wait, 0, kMostSteps},
    WholeNumber{"warmup", &ProfileOptions::warmup, 0, kMostSteps},
    WholeNumber{"steps", &ProfileOptions::steps, 1, kMostSteps},
    WholeNumber{"repeat", &ProfileOptions::repeat, 1, kMostSteps},
    WholeNumber{"cost_pairs", &ProfileOptions::cost_pairs, 0, 1000},
    WholeNumber{"top", &ProfileOptions::top, 1, kMostSteps},
};

struct Switch {
  std::string_view name;
  bool ProfileOptions::*member;
};
constexpr std::array kSwitches{
    Switch{"shapes", &ProfileOptions::shapes},
    Switch{"memory", &ProfileOptions::memory},
    Switch{"quiet", &ProfileOptions::quiet},
};

struct Text {
  std::string_view name;
  std::string ProfileOptions::*member;
};
constexpr std::array kTexts{
    Text{"out", &ProfileOptions::out},
    Text{"title", &ProfileOptions::title},
};

constexpr std::string_view kTraceLimit = "trace_limit";

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const auto& text : kTexts) names.push_back(text.name);
  for (const auto& number : kNumbers) names.push_back(number.name);
  for (const auto& option : kSwitches) names.push_back(option.name);
  names.push_back(kTraceLimit);
  return names;
}

Error out_of_range(const WholeNumber& number, std::string_view value) {
  return bad_input(fmt::format("{}={}: a whole number from {} to {} is wanted", number.name, value,
                               number.least, number.most));
}

int parse_number(const WholeNumber& number, std::string_view value) {
  int result = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), result);
  if (fault != std::errc() || end != value.data() + value.size()) throw out_of_range(number, value);
  return result;
}

bool parse_switch(std::string_view name, std::string_view value) {
  if (value == "1" || value == "on" || value == "true") return true;
  if (value == "0" || value == "off" || value == "false") return false;
  throw bad_input(fmt::format("{}={}: 1 or 0 is wanted", name, value));
}

void set(ProfileOptions& options, std::string_view name, std::string_view value) {
  if (value.empty()) throw bad_input(fmt::format("{}= lacks its value", name));
  for (const Text& text : kTexts) {
    if (text.name == name) return void(options.*text.member = value);
  }
  for (const WholeNumber& number : kNumbers) {
    if (number.name == name) return void(options.*number.member = parse_number(number, value));
  }
  for (const Switch& option : kSwitches) {
    if (option.name == name) return void(options.*option.member = parse_switch(name, value));
  }
  if (name != kTraceLimit) throw bad_input(unknown_word("setting", name, known_names()));
  options.trace_limit = parse_size(name, value).count;
}

void apply(ProfileOptions& options, std::string_view text) {
  std::vector<std::string_view> seen;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      throw bad_input(
          fmt::format("'{}' is no setting; write NAME=VALUE,NAME=VALUE, or on, or off", item));
    const std::string_view name = item.substr(0, equals);
    if (std::ranges::find(seen, name) != seen.end())
      throw bad_input(fmt::format("{} is set twice", name));
    seen.push_back(name);
    set(options, name, item.substr(equals + 1));
  }
}

void check(const ProfileOptions& options) {
  for (const WholeNumber& number : kNumbers) {
    const int value = options.*number.member;
    if (value < number.least || value > number.most)
      throw out_of_range(number, std::to_string(value));
  }
  if (!std::isfinite(options.trace_limit) || options.trace_limit <= 0)
    throw bad_input("trace_limit: a number of bytes above zero is wanted");
}

}  // namespace

std::optional<ProfileOptions> effective_options(ProfileOptions options, const char* variable) {
  const std::string_view text = variable == nullptr ? "" : variable;
  if (text.empty() && options.enabled_by_environment) return std::nullopt;
  if (text == "off" || text == "0") return std::nullopt;
  if (text != "on" && text != "1") apply(options, text);
  check(options);
  return options;
}

}  // namespace ridgeline
