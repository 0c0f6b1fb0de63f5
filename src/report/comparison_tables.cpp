#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/display.h"
#include "core/format.h"
#include "core/utf8.h"
#include "report/trace_tables.h"

namespace ridgeline {
namespace {

std::string time_text(double ns) { return format_seconds(Seconds(ns * 1e-9)); }

TitledTable changes_table(std::string id, std::string title, const std::vector<ChangeRow>& rows,
                          const TraceTableOptions& options) {
  TitledTable out{.id = std::move(id),
                  .title = std::move(title),
                  .table = {.columns = {{"Name"},
                                        {"Change"},
                                        {"Before", true},
                                        {"After", true},
                                        {"Difference", true},
                                        {"Ratio", true},
                                        {"Count before", true},
                                        {"after", true}},
                            .rows = {}}};
  for (std::size_t i = 0; i < std::min(rows.size(), options.top); ++i) {
    const ChangeRow& row = rows[i];
    const bool both = row.before_ns > 0 && row.after_ns > 0;
    out.table.rows.push_back({shortened(printable(with_valid_utf8(row.name)), options.name_width),
                              std::string(name_of(row.kind)), time_text(row.before_ns),
                              time_text(row.after_ns), time_text(row.difference_ns()),
                              both ? fmt::format("{:.2f}×", row.after_ns / row.before_ns) : "",
                              fmt::format("{:g}", row.before_count),
                              fmt::format("{:g}", row.after_count)});
  }
  return out;
}

TitledTable headline_table(const TraceComparison& change) {
  const StepFigures& before = change.before;
  const StepFigures& after = change.after;
  TitledTable out{.id = "headline",
                  .title = change.per_step ? "The step" : "The traces",
                  .table = {.columns = {{"What"},
                                        {"Before", true},
                                        {"After", true},
                                        {"Difference", true},
                                        {"Ratio", true}},
                            .rows = {}}};
  const auto add = [&](std::string what, std::optional<double> old, std::optional<double> now,
                       const auto& text) {
    if (old.value_or(0) <= 0 && now.value_or(0) <= 0) return;
    const bool both = old && now;
    out.table.rows.push_back(
        {std::move(what), old ? text(*old) : "–", now ? text(*now) : "–",
         both ? text(*now - *old) : "",
         both && *old > 0 && *now > 0 ? fmt::format("{:.2f}×", *now / *old) : ""});
  };
  const auto time = [](double ns) { return time_text(ns); };
  const auto busy = [](const StepFigures& step, double whole) {
    return step.busy ? std::optional(*step.busy * whole) : std::nullopt;
  };
  add("time", before.time_ns, after.time_ns, time);
  add("device works", busy(before, before.time_ns), busy(after, after.time_ns), time);
  add("GPU utilisation", busy(before, 100), busy(after, 100),
      [](double part) { return fmt::format("{:.1f} %", part); });
  add("kernels", before.kernels, after.kernels,
      [](double count) { return fmt::format("{:.0f}", count); });
  add("waits for data", before.data_wait_ns, after.data_wait_ns, time);
  add("communicates, computing nothing", before.communication_alone_ns,
      after.communication_alone_ns, time);
  const auto word = [&](std::string what, const std::string& old, const std::string& now) {
    if (old.empty() && now.empty()) return;
    const auto known = [](const std::string& text) { return text.empty() ? "not known" : text; };
    out.table.rows.push_back({std::move(what), known(old), known(now), "", ""});
  };
  word("verdict", before.bound, after.bound);
  word("first target", before.target, after.target);
  if (change.unlike)
    out.note =
        "One of them marks no steps, so both are compared as wholes; verdicts and findings, which "
        "would be of a step beside a whole trace, are not.";
  if (change.incomplete)
    out.note += std::string(out.note.empty() ? "" : " ") +
                "One of them is only a part: what needs the rest is left out, and findings are not "
                "compared.";
  return out;
}

}  // namespace

std::string changed_findings_text(const TraceComparison& change) {
  std::string text;
  for (const FindingChange& one : change.findings) {
    if (one.before.empty()) {
      text += fmt::format("- new: {}\n", one.after);
    } else if (one.after.empty()) {
      text += fmt::format("- gone: {}\n", one.before);
    } else {
      text += fmt::format("- was: {}\n- is: {}\n", one.before, one.after);
    }
  }
  return text;
}

std::vector<TitledTable> comparison_tables(const TraceComparison& change,
                                           const TraceTableOptions& options) {
  const std::string unit = change.per_step ? ", per step" : ", whole traces";
  std::vector<TitledTable> tables{
      headline_table(change),
      changes_table("kernel-changes", "Kernels and copies: device time" + unit, change.kernels,
                    options),
      changes_table("op-device-changes", "Ops: device time they asked for" + unit,
                    change.ops_device, options),
      changes_table("op-changes", "Ops and calls: self time on the host" + unit, change.ops,
                    options)};
  std::erase_if(tables, [](const TitledTable& table) { return table.table.rows.empty(); });
  if (!tables.empty() && tables.back().id != "headline") {
    tables.back().note =
        "Largest difference first; within 2 % is the same. A trace is one sample: measure with "
        "bench --ab before "
        "believing a small difference.";
  }
  return tables;
}

}  // namespace ridgeline
