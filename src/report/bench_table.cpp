#include "report/bench_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "report/extra_columns.h"
#include "report/units_text.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

// What was measured; what was planned when nothing was.
std::string measured_steps(const Json& row) {
  const auto count = number_at(row, {"phases", "total", "count"});
  return csv_integer(count ? count : number_at(row, {"plan", "measure_steps"}));
}

CsvColumn integer_setting(std::string key) {
  return {key, [key](const Json& row) { return csv_integer(number_at(row, {"settings", key})); }};
}

CsvColumn percent_column(std::string title, std::string phase) {
  return {std::move(title), [phase = std::move(phase)](const Json& row) {
            return csv_number(number_at(row, {"phases", phase, "cv_percent"}));
          }};
}

std::vector<CsvColumn> configuration_columns() {
  return {
      {"model_size", row_label},
      {"num_params", [](const Json& row) { return csv_integer(number_at(row, {"parameters"})); }},
      integer_setting("context_length"),
      integer_setting("batch_size"),
      {"warmup_steps",
       [](const Json& row) {
         return csv_integer(number_at(row, {"plan", "warmup_steps"}));
       }},
      {"measure_steps", measured_steps},
  };
}

CsvTable fill(const std::vector<CsvColumn>& columns, const Rows& rows) {
  CsvTable table;
  for (const auto& column : columns) table.header.push_back(column.title);
  for (const Json& row : rows) {
    auto& line = table.rows.emplace_back();
    for (const auto& column : columns) line.push_back(column.cell(row));
  }
  return table;
}

void append_phase(std::vector<CsvColumn>& columns, const std::string& phase,
                  const std::string& title) {
  columns.push_back(milliseconds_column(title + "_mean_ms", phase, "mean_s"));
  columns.push_back(milliseconds_column(title + "_std_ms", phase, "std_s"));
  columns.push_back(percent_column(title + "_cv_percent", phase));
}

CsvTable finish(std::vector<CsvColumn> columns, const Rows& rows) {
  columns.push_back({"error", why_unmeasured});
  std::ranges::move(extra_columns(rows), std::back_inserter(columns));
  return fill(columns, rows);
}

}  // namespace

CsvTable separate_csv(const Rows& rows) {
  auto columns = configuration_columns();
  append_phase(columns, "forward", "forward");
  append_phase(columns, "backward", "backward");
  columns.push_back(milliseconds_column("total_mean_ms", "total", "mean_s"));
  columns.push_back({"backward_forward_ratio",
                     [](const Json& row) { return csv_number(backward_forward_ratio(row)); }});
  return finish(std::move(columns), rows);
}

CsvTable direct_csv(const Rows& rows) {
  auto columns = configuration_columns();
  append_phase(columns, "total", "time");
  return finish(std::move(columns), rows);
}

CsvTable warmup_csv(const Json& study) {
  CsvTable table{.header = {"warmup_steps", "mean_time_ms", "std_time_ms", "cv_percent"},
                 .rows = {}};
  const Json* points = find(study, {"points"});
  if (points == nullptr || !points->is_array()) return table;
  for (const Json& point : *points) {
    const auto milliseconds = [&](std::string_view key) {
      const auto seconds = number_at(point, {"time", key});
      return csv_number(seconds ? std::optional(*seconds * 1e3) : std::nullopt);
    };
    table.rows.push_back({csv_integer(number_at(point, {"warmup_steps"})), milliseconds("mean_s"),
                          milliseconds("std_s"),
                          csv_number(number_at(point, {"time", "cv_percent"}))});
  }
  return table;
}

}  // namespace ridgeline
