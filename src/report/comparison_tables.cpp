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

}  // namespace

std::vector<TitledTable> comparison_tables(const TraceComparison& change,
                                           const TraceTableOptions& options) {
  const std::string unit = change.per_step ? ", per step" : ", whole traces";
  std::vector<TitledTable> tables{
      changes_table("kernel-changes", "Kernels and copies: device time" + unit, change.kernels,
                    options),
      changes_table("op-changes", "Ops and calls: self time on the host" + unit, change.ops,
                    options)};
  std::erase_if(tables, [](const TitledTable& table) { return table.table.rows.empty(); });
  if (!tables.empty()) {
    tables.back().note =
        "Largest difference first; within 2 % is the same. A trace is one sample: measure with "
        "bench --ab before "
        "believing a small difference.";
  }
  return tables;
}

}  // namespace ridgeline
