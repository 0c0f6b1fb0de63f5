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
  if (before.count == 0 && before.ns == 0) return ChangeKind::Appeared;
  if (after.count == 0 && after.ns == 0) return ChangeKind::Vanished;
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

StepFigures figures_of(const ProfileFacts& facts, const TraceNotes& notes) {
  StepFigures figures{
      .marks_steps = facts.marks_steps, .time_ns = nanoseconds(facts.step), .busy = facts.busy};
  if (facts.on_gpu && notes.has_all_device_work()) {  // then nothing found is a zero
    figures.kernels = facts.kernels ? facts.kernels->count : 0;
    figures.communication_alone_ns = 0;
  }
  if (facts.data) figures.data_wait_ns = nanoseconds(facts.data->wait);
  if (facts.communication) figures.communication_alone_ns = nanoseconds(facts.communication->alone);
  if (const auto verdict = bound_of(facts)) figures.bound = name_of(verdict->bound);
  if (const auto targets = targets_of(facts); !targets.empty()) figures.target = targets[0].lever;
  return figures;
}

// The device that worked longest, from its first work to its last.
const Breakdown* busiest_of(const TraceAnalysis& trace) {
  const Breakdown* busiest = nullptr;
  for (const Breakdown& row : trace.breakdowns) {
    if (row.host_ns > 0) continue;  // a step
    const auto worked = [](const Breakdown& one) { return one.span_ns - one.idle_ns; };
    if (busiest == nullptr || worked(row) > worked(*busiest)) busiest = &row;
  }
  return busiest;
}

// The same of a whole trace that has steps: its facts are of a step.
StepFigures whole_figures_of(const TraceAnalysis& trace) {
  StepFigures figures{.marks_steps = !trace.steps.empty(),
                      .time_ns = static_cast<double>(trace.span_ns)};
  if (trace.notes.cut_off) return figures;
  for (const TraceOpRow& row : trace.ops) {
    if (!waits_for_data(row.name)) continue;
    figures.data_wait_ns = figures.data_wait_ns.value_or(0) + static_cast<double>(row.host_ns);
  }
  const Breakdown* const device = busiest_of(trace);
  if (device == nullptr || !trace.notes.has_all_device_work()) return figures;
  figures.kernels = 0;
  for (const KernelRow& row : trace.kernels) {
    if (row.work != WorkClass::Copy) *figures.kernels += static_cast<double>(row.count);
  }
  figures.communication_alone_ns =
      static_cast<double>(device->communication_ns - device->communication_hidden_ns);
  if (trace.span_ns > 0)
    figures.busy = static_cast<double>(device->span_ns - device->idle_ns) / figures.time_ns;
  return figures;
}

// What the tables are made of: of the steps where they are per step, for what lies around them
// (warm-up, other steps' rests) is no part of one.
class Collected {
 public:
  void add_trace(const TraceAnalysis& trace, bool per_step, Amount Amounts::mapped_type::*side) {
    const double steps = per_step ? static_cast<double>(trace.steps.size()) : 1;
    for (const KernelRow& row : per_step ? trace.in_steps.by_name : trace.kernels)
      add(kernels_[row.name].*side, per(steps, row.total_ns, row.count));
    for (const TraceOpRow& row : trace.ops) {
      // A step's own mark bears its number and would always appear or vanish.
      if (is_step_mark(row.name)) continue;
      const std::uint64_t calls = per_step ? row.in_steps.calls : row.calls;
      const auto on_host = per_step ? row.in_steps.self_host_ns : row.self_host_ns;
      const auto on_device = per_step ? row.in_steps.self_device_ns : row.self_device_ns;
      if (calls > 0) add(ops_[row.name].*side, per(steps, on_host, calls));
      const bool call = row.kind == EventKind::Runtime || row.kind == EventKind::Driver;
      if (on_device > 0 && !call) add(ops_device_[row.name].*side, per(steps, on_device, calls));
    }
  }
  // Those that both traces hold all of.
  void write(TraceComparison& out, const TraceNotes& before, const TraceNotes& after) const {
    const bool device = before.has_all_device_work() && after.has_all_device_work();
    const bool ops = before.has_all_ops() && after.has_all_ops();
    if (device) out.kernels = rows_of(kernels_);
    if (ops) out.ops = rows_of(ops_);
    if (ops && device) out.ops_device = rows_of(ops_device_);
  }

 private:
  Amounts kernels_;
  Amounts ops_;
  Amounts ops_device_;
};

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
  TraceComparison out{.per_step = !before.steps.empty() && !after.steps.empty(),
                      .unlike = before.steps.empty() != after.steps.empty(),
                      .incomplete = !before.notes.has_all() || !after.notes.has_all()};
  if (out.per_step) {
    out.before_steps = static_cast<double>(before.steps.size());
    out.after_steps = static_cast<double>(after.steps.size());
  }
  Collected collected;
  collected.add_trace(before, out.per_step, &Amounts::mapped_type::first);
  collected.add_trace(after, out.per_step, &Amounts::mapped_type::second);
  collected.write(out, before.notes, after.notes);
  if (out.unlike) {
    out.before = whole_figures_of(before);
    out.after = whole_figures_of(after);
    return out;
  }
  const ProfileFacts facts_before = facts_of(before);
  const ProfileFacts facts_after = facts_of(after);
  out.before = figures_of(facts_before, before.notes);
  out.after = figures_of(facts_after, after.notes);
  // Of a part most of them would be gone.
  if (!out.incomplete) out.findings = finding_changes(facts_before, facts_after);
  return out;
}

}  // namespace ridgeline
