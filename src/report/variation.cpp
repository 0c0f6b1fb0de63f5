#include "report/variation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace ridgeline {

namespace {

struct KnownSetting {
  SettingName name;
  std::string_view usual;  // the value that needs no mention; empty: none is usual
  bool always_told;        // worth a column even when all rows agree
};

constexpr std::array kSettings{
    KnownSetting{{"context_length", "Context"}, "", true},
    KnownSetting{{"image_size", "Image"}, "", true},
    KnownSetting{{"batch_size", "Batch"}, "", true},
    KnownSetting{{"head_dim", "Head dim"}, "", false},
    KnownSetting{{"num_heads", "Heads"}, "", false},
    KnownSetting{{"precision", "Precision"}, "fp32", false},
    KnownSetting{{"tf32", "TF32"}, "off", false},
    KnownSetting{{"mode", "Mode"}, "eager", false},
    KnownSetting{{"kernels", "Kernels"}, "plain", false},
    KnownSetting{{"device", "Device"}, "", false},
    KnownSetting{{"optimizer", "Optimizer"}, "", false},
    KnownSetting{{"cudnn", "cuDNN"}, "on", false},
    KnownSetting{{"channels_last", "Channels last"}, "off", false},
    KnownSetting{{"accumulation", "Accumulation"}, "1", false},
    KnownSetting{{"activation_checkpointing", "Checkpointing"}, "off", false},
    KnownSetting{{"threads", "Threads"}, "", false},
    KnownSetting{{"workers", "Workers"}, "", false},
    KnownSetting{{"prefetch", "Prefetch"}, "", false},
    KnownSetting{{"output", "Output"}, "", false},
    KnownSetting{{"seed", "Seed"}, "", false},
    KnownSetting{{"extent", "Extent"}, "", false},
};

std::set<std::string> distinct_values(const Rows& rows, std::string_view key) {
  std::set<std::string> values;
  for (const Json& row : rows) values.insert(setting_text(row, key));
  return values;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "bf16" and "graph" need no name before them; "256" does.
bool explains_itself(std::string_view key) {
  constexpr std::array<std::string_view, 5> kKeys{"precision", "mode", "kernels", "device",
                                                  "extent"};
  return std::ranges::find(kKeys, key) != kKeys.end();
}

std::string spoken_name(const SettingName& name) {
  return name.key == "tf32" ? std::string(name.title) : lower(name.title);
}

// The head's width follows from the model's size, so between sizes it says nothing new.
bool follows_from_label(const Rows& rows, std::string_view key) {
  if (key != "head_dim" && key != "num_heads") return false;
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::string> labels;
  for (const Json& row : rows) {
    pairs.emplace(row_label(row), setting_text(row, key));
    labels.insert(row_label(row));
  }
  return pairs.size() == labels.size();
}

}  // namespace

std::vector<SettingName> varying_settings(const Rows& rows) {
  std::vector<SettingName> varying;
  for (const auto& known : kSettings) {
    if (distinct_values(rows, known.name.key).size() < 2) continue;
    if (!follows_from_label(rows, known.name.key)) varying.push_back(known.name);
  }
  return varying;
}

std::vector<SettingName> telling_settings(const Rows& rows) {
  std::vector<SettingName> telling;
  for (const auto& known : kSettings) {
    auto values = distinct_values(rows, known.name.key);
    const bool varies = values.size() > 1 && !follows_from_label(rows, known.name.key);
    values.erase("");
    if (values.empty()) continue;
    const bool unusual = !known.usual.empty() && values != std::set{std::string(known.usual)};
    if (varies || unusual || known.always_told) telling.push_back(known.name);
  }
  return telling;
}

std::string settings_phrase(const Json& row, const std::vector<SettingName>& names) {
  std::string phrase;
  for (const auto& name : names) {
    const std::string value = setting_text(row, name.key);
    if (value.empty()) continue;
    if (!phrase.empty()) phrase += ", ";
    phrase += explains_itself(name.key) ? value : spoken_name(name) + " " + value;
  }
  return phrase;
}

bool one_label(const Rows& rows) {
  return std::ranges::all_of(
      rows, [&](const Json& row) { return row_label(row) == row_label(rows.front()); });
}

std::vector<std::string> row_titles(const Rows& rows, const std::vector<SettingName>& names) {
  const bool same = one_label(rows);
  std::vector<std::string> titles;
  titles.reserve(rows.size());
  for (const Json& row : rows) {
    const std::string phrase = settings_phrase(row, names);
    if (phrase.empty()) {
      titles.push_back(row_label(row));
    } else {
      titles.push_back(same ? phrase : row_label(row) + ", " + phrase);
    }
  }
  return titles;
}

std::vector<std::string> row_titles(const Rows& rows) {
  return row_titles(rows, varying_settings(rows));
}

}  // namespace ridgeline
