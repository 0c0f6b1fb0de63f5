#include "trace/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

TraceComparison compare(const TraceAnalysis& before, const TraceAnalysis& after) {
  TraceComparison out{.per_step = !before.steps.empty() && !after.steps.empty()};
  if (out.per_step) {
    out.before_steps = static_cast<double>(before.steps.size());
    out.after_steps = static_cast<double>(after.steps.size());
  }
  Amounts kernels;
  Amounts ops;
  for (const KernelRow& row : before.kernels)
    add(kernels[row.name].first, per(out.before_steps, row.total_ns, row.count));
  for (const KernelRow& row : after.kernels)
    add(kernels[row.name].second, per(out.after_steps, row.total_ns, row.count));
  // A step's own mark bears its number and would always appear or vanish.
  const auto is_step = [](const TraceOpRow& row) { return is_step_mark(row.name); };
  for (const TraceOpRow& row : before.ops) {
    if (!is_step(row)) add(ops[row.name].first, per(out.before_steps, row.self_host_ns, row.calls));
  }
  for (const TraceOpRow& row : after.ops) {
    if (!is_step(row)) add(ops[row.name].second, per(out.after_steps, row.self_host_ns, row.calls));
  }
  out.kernels = rows_of(kernels);
  out.ops = rows_of(ops);
  return out;
}

}  // namespace ridgeline
