#include "trace/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "trace/analysis_facts.h"
#include "trace/bound.h"
#include "trace/findings.h"

namespace ridgeline {
namespace {

struct Amount {
  double ns = 0;
  double count = 0;
};
using Amounts = std::map<std::string, std::pair<Amount, Amount>>;  // before, after

Amount per(double steps, std::int64_t ns, std::uint64_t count) {
  return {.ns = static_cast<double>(ns) / steps, .count = static_cast<double>(count) / steps};
}

void add(Amount& sum, const Amount& more) {
  sum.ns += more.ns;
  sum.count += more.count;
}

ChangeKind kind_of(const Amount& before, const Amount& after) {
  if (before.count == 0) return ChangeKind::Appeared;
  if (after.count == 0) return ChangeKind::Vanished;
  if (std::abs(after.ns - before.ns) <= kSameWithin * before.ns) return ChangeKind::Same;
  return after.ns > before.ns ? ChangeKind::Slower : ChangeKind::Faster;
}

std::vector<ChangeRow> rows_of(const Amounts& amounts) {
  std::vector<ChangeRow> rows;
  for (const auto& [name, pair] : amounts) {
    rows.push_back({.name = name,
                    .kind = kind_of(pair.first, pair.second),
                    .before_ns = pair.first.ns,
                    .after_ns = pair.second.ns,
                    .before_count = pair.first.count,
                    .after_count = pair.second.count});
  }
  std::ranges::stable_sort(rows, std::greater{},
                           [](const ChangeRow& row) { return std::abs(row.difference_ns()); });
  return rows;
}

double nanoseconds(Seconds time) { return time.count() * 1e9; }

StepFigures figures_of(const ProfileFacts& facts) {
  StepFigures figures{
      .marks_steps = facts.marks_steps, .time_ns = nanoseconds(facts.step), .busy = facts.busy};
  if (facts.on_gpu) {  // then nothing found is a zero
    figures.kernels = facts.kernels ? facts.kernels->count : 0;
    figures.communication_alone_ns = 0;
  }
  if (facts.data) figures.data_wait_ns = nanoseconds(facts.data->wait);
  if (facts.communication) figures.communication_alone_ns = nanoseconds(facts.communication->alone);
  if (const auto verdict = bound_of(facts)) figures.bound = name_of(verdict->bound);
  if (const auto targets = targets_of(facts); !targets.empty()) figures.target = targets[0].lever;
  return figures;
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Slower:
      return "slower";
    case ChangeKind::Faster:
      return "faster";
    case ChangeKind::Same:
      return "same";
    case ChangeKind::Appeared:
      return "appeared";
    case ChangeKind::Vanished:
      break;
  }
  return "vanished";
}

std::int64_t whole_ns(double ns) {
  constexpr double kLargest = 9e18;
  return std::llround(std::clamp(ns, -kLargest, kLargest));
}

TraceComparison compare(const TraceAnalysis& before, const TraceAnalysis& after) {
  TraceComparison out{.per_step = !before.steps.empty() && !after.steps.empty()};
  if (out.per_step) {
    out.before_steps = static_cast<double>(before.steps.size());
    out.after_steps = static_cast<double>(after.steps.size());
  }
  Amounts kernels;
  Amounts ops;
  Amounts ops_device;
  const auto collect = [&](const TraceAnalysis& trace, double steps, auto side) {
    for (const KernelRow& row : trace.kernels)
      add(kernels[row.name].*side, per(steps, row.total_ns, row.count));
    for (const TraceOpRow& row : trace.ops) {
      // A step's own mark bears its number and would always appear or vanish.
      if (is_step_mark(row.name)) continue;
      add(ops[row.name].*side, per(steps, row.self_host_ns, row.calls));
      const bool call = row.kind == EventKind::Runtime || row.kind == EventKind::Driver;
      if (row.self_device_ns > 0 && !call)
        add(ops_device[row.name].*side, per(steps, row.self_device_ns, row.calls));
    }
  };
  collect(before, out.before_steps, &Amounts::mapped_type::first);
  collect(after, out.after_steps, &Amounts::mapped_type::second);
  out.kernels = rows_of(kernels);
  out.ops = rows_of(ops);
  out.ops_device = rows_of(ops_device);
  const ProfileFacts facts_before = facts_of(before);
  const ProfileFacts facts_after = facts_of(after);
  out.before = figures_of(facts_before);
  out.after = figures_of(facts_after);
  out.findings = finding_changes(facts_before, facts_after);
  return out;
}

}  // namespace ridgeline
