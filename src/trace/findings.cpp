#include "trace/findings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/display.h"
#include "core/utf8.h"
#include "trace/finding_rules.h"

namespace ridgeline {
namespace {

constexpr std::array kRules{
    Rule{"incomplete-trace", rules::incomplete_trace},
    Rule{"unseen-device", rules::unseen_device},
    Rule{"top-operations", rules::top_operations},
    Rule{"shares", rules::kind_shares},
    Rule{"attention", rules::attention_dominates},
    Rule{"products", rules::products_dominate},
    Rule{"kernels", rules::kernel_counts},
    Rule{"small-kernels", rules::many_small_kernels},
    Rule{"utilisation", rules::device_utilisation},
    Rule{"communication", rules::communication},
    Rule{"held-clocks", rules::held_clocks},
    Rule{"host-waits", rules::host_waits},
    Rule{"data", rules::data_loading},
    Rule{"copies-to-device", rules::copies_to_device},
    Rule{"copies-between-ops", rules::copies_between_ops},
    Rule{"memory-peak", rules::memory_peak},
    Rule{"peak-in-attention", rules::peak_in_attention},
    Rule{"memory-growth", rules::growth_in_forward},
    Rule{"small-allocations", rules::small_allocations},
    Rule{"fragmentation", rules::fragmentation},
    Rule{"memory-spikes", rules::memory_spikes},
    Rule{"mfu", rules::flop_utilisation},
    Rule{"surpassed-peak", rules::surpassed_peak},
    Rule{"absent-peaks", rules::absent_peaks},
    Rule{"bound", rules::what_binds},
    Rule{"fusion", rules::fusable},
    Rule{"profiling-cost", rules::cost_of_profiling},
};

constexpr std::size_t kTop = 3;
constexpr std::size_t kLongestName = 80;  // columns

// Beyond, the bound is the inverse of a rounding error.
constexpr double kMostCredible = 0.99;

}  // namespace

std::string rules::told(std::string_view name) {
  // No character is longer than four bytes, and cutting first spares looking through megabytes.
  return shortened(printable(with_valid_utf8(name.substr(0, 4 * kLongestName + 4))), kLongestName);
}

std::optional<std::string> rules::most_won(double part) {
  if (part <= 0 || part > kMostCredible) return std::nullopt;
  return fmt::format("{:.2f}x", 1 / (1 - part));
}

std::span<const Rule> finding_rules() { return kRules; }

std::vector<Finding> findings_of(const ProfileFacts& facts) {
  std::vector<Finding> found;
  for (const Rule& rule : kRules) {
    if (auto text = rule.says(facts)) found.push_back({rule.id, std::move(*text)});
  }
  return found;
}

std::string findings_text(const ProfileFacts& facts) {
  std::string text;
  for (const Finding& finding : findings_of(facts)) text += fmt::format("- {}\n", finding.text);
  const auto targets = targets_of(facts);
  if (targets.empty()) return text;
  const std::size_t shown = std::min(kTop, targets.size());
  text += fmt::format("\nTop {} optimization target{}, with the most each could win\n", shown,
                      shown == 1 ? "" : "s");
  for (std::size_t i = 0; i < shown; ++i) {
    const Target& target = targets[i];
    text += fmt::format("{}. {}: {}", i + 1, target.lever, target.text);
    if (const auto won = rules::most_won(target.gain)) text += "; at most " + *won;
    text += ".\n";
  }
  return text;
}

}  // namespace ridgeline
