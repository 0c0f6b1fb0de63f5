#include "trace/findings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/format.h"
#include "trace/finding_rules.h"

namespace ridgeline {
namespace {

constexpr std::array kRules{
    Rule{"top-operations", rules::top_operations},
    Rule{"shares", rules::kind_shares},
    Rule{"attention", rules::attention_dominates},
    Rule{"products", rules::products_dominate},
    Rule{"kernels", rules::kernel_counts},
    Rule{"small-kernels", rules::many_small_kernels},
    Rule{"utilisation", rules::device_utilisation},
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
    Rule{"bound", rules::what_binds},
    Rule{"fusion", rules::fusable},
    Rule{"profiling-cost", rules::cost_of_profiling},
};

constexpr double kDataBound = 0.2;    // of the step, waiting for data
constexpr double kLaunchBound = 0.7;  // the device works less of the step than this
constexpr double kNearLimit = 0.4;    // of a limit, below which it does not bind
constexpr std::size_t kTop = 3;

// How near the step comes to the two limits of the machine, by the work that shapes say it has.
std::optional<BoundVerdict> nearest_limit(const ProfileFacts& facts) {
  if (!facts.work || !facts.traffic || !facts.peak || !facts.bandwidth) return std::nullopt;
  const double compute = facts.work->count / facts.peak->value / facts.step.count();
  const double memory = facts.traffic->count / facts.bandwidth->value / facts.step.count();
  const std::string evidence = fmt::format(
      "at the measured peaks its FLOPs would take {:.0f} % of the step and its least traffic "
      "{:.0f} %",
      100 * compute, 100 * memory);
  if (std::max(compute, memory) < kNearLimit) return BoundVerdict{Bound::Neither, evidence};
  return BoundVerdict{compute >= memory ? Bound::Compute : Bound::Memory, evidence};
}

}  // namespace

std::span<const Rule> finding_rules() { return kRules; }

std::string_view name_of(Bound bound) {
  static constexpr std::array<std::string_view, 5> kNames{
      "bound by data", "bound by launches", "bound by compute", "bound by memory traffic",
      "bound by neither compute nor memory traffic"};
  return kNames[static_cast<std::size_t>(bound)];
}

std::optional<double> mfu_of(const ProfileFacts& facts) {
  if (!facts.work || !facts.peak || facts.step <= Seconds{0} || facts.peak->value <= 0)
    return std::nullopt;
  const double part = (*facts.work / facts.step).value / facts.peak->value;
  // A peak that is surpassed was measured while something else ran.
  return part <= 1 ? std::optional(part) : std::nullopt;
}

std::optional<BoundVerdict> bound_of(const ProfileFacts& facts) {
  if (facts.step <= Seconds{0}) return std::nullopt;
  if (facts.data && wait_share(*facts.data) > kDataBound)
    return BoundVerdict{
        Bound::Data,
        fmt::format("{} of {} a step wait for the next batch", format_seconds(facts.data->wait),
                    format_seconds(facts.data->wait + facts.data->compute))};
  if (facts.busy && *facts.busy < kLaunchBound)
    return BoundVerdict{
        Bound::Launch,
        fmt::format("the device works only {:.1f} % of the step{}", 100 * *facts.busy,
                    facts.data ? ", and hardly any of it waits for data"
                               : "; whether it waits for data was not recorded")};
  return nearest_limit(facts);
}

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
    if (target.gain > 0 && target.gain < 1)
      text += fmt::format("; at most {:.2f}x", 1 / (1 - target.gain));
    text += ".\n";
  }
  return text;
}

}  // namespace ridgeline
