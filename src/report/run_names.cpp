#include "report/run_names.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

namespace ridgeline {
namespace {

using Words = std::vector<std::string>;

Words parts_of(const std::string& text, const std::string& between) {
  Words parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + between.size();
  }
  return parts;
}

void append(std::string& text, const std::string& part, const char* between) {
  if (!part.empty()) text += (text.empty() ? "" : between) + part;
}

bool is_number(const std::string& word) {
  return std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

// One part of all labels, word by word; a number that differs keeps the word before it.
void split_part(const std::vector<Words>& of_runs, RunNames& names) {
  const Words& first = of_runs.front();
  std::vector<bool> same(first.size());
  for (std::size_t i = 0; i < first.size(); ++i)
    same[i] =
        std::ranges::all_of(of_runs, [&](const Words& words) { return words[i] == first[i]; });
  std::string common;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool names_number = i + 1 < first.size() && !same[i + 1] && is_number(first[i + 1]);
    if (same[i] && !names_number) append(common, first[i], " ");
  }
  append(names.common, common, ", ");
  for (std::size_t run = 0; run < of_runs.size(); ++run) {
    std::string own;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (same[i]) continue;
      if (i > 0 && same[i - 1] && is_number(first[i])) append(own, first[i - 1], " ");
      append(own, of_runs[run][i], " ");
    }
    append(names.own[run], own, ", ");
  }
}

bool all_differ(const std::vector<std::string>& own) {
  const std::set<std::string> different(own.begin(), own.end());
  return different.size() == own.size() && !different.contains("");
}

}  // namespace

RunNames names_of_runs(const std::vector<std::string>& labels) {
  if (labels.size() < 2) return {.own = labels};
  std::vector<Words> parts;
  for (const std::string& label : labels) parts.push_back(parts_of(label, ", "));
  const auto alike = [](const std::vector<Words>& all) {
    return std::ranges::all_of(
        all, [&](const Words& one) { return !one.empty() && one.size() == all.front().size(); });
  };
  RunNames names{.own = std::vector<std::string>(labels.size())};
  bool comparable = alike(parts);
  for (std::size_t i = 0; comparable && i < parts.front().size(); ++i) {
    std::vector<Words> words;
    for (const Words& some : parts) words.push_back(parts_of(some[i], " "));
    comparable = alike(words);
    if (comparable) split_part(words, names);
  }
  if (comparable && all_differ(names.own)) return names;
  names = {.own = labels};
  // Runs of one name are told apart by their places.
  for (std::size_t i = 0; !all_differ(labels) && i < labels.size(); ++i)
    names.own[i] = fmt::format("{} ({})", labels[i], i + 1);
  return names;
}

}  // namespace ridgeline
