#include "trace/finding_changes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "trace/findings.h"

namespace ridgeline {
namespace {

constexpr std::array<std::string_view, 13> kUnits{
    "%", "ns", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "GB/s", "GFLOP/s", "TFLOP/s", "MHz"};

std::string_view without_punctuation(std::string_view word) {
  constexpr std::string_view kMarks = "(),.;:";
  const std::size_t start = word.find_first_not_of(kMarks);
  if (start == std::string_view::npos) return {};
  return word.substr(start, word.find_last_not_of(kMarks) - start + 1);
}

// What a sentence says besides its numbers: every trace has others.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  bool after_number = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = without_punctuation(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const bool number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    const bool unit = after_number && std::ranges::find(kUnits, word) != kUnits.end();
    if (!number && !unit) words.push_back(word);
    after_number = number;
  }
  return words;
}

std::string said_by(const Rule& rule, const ProfileFacts& facts) {
  return rule.says(facts).value_or("");
}

}  // namespace

std::vector<FindingChange> finding_changes(const ProfileFacts& before, const ProfileFacts& after) {
  std::vector<FindingChange> changes;
  for (const Rule& rule : finding_rules()) {
    FindingChange change{
        .id = std::string(rule.id), .before = said_by(rule, before), .after = said_by(rule, after)};
    if (words_of(change.before) != words_of(change.after)) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ridgeline
