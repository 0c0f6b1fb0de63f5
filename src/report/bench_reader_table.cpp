#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/format.h"
#include "report/bench_table.h"
#include "report/units_text.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

struct FilledColumn {
  Column heading;
  std::function<std::string(const Json&)> cell;
};

std::string spread_text(const Json& row, const std::string& phase) {
  const auto mean = number_at(row, {"phases", phase, "mean_s"});
  if (!mean) return {};
  return milliseconds_spread(*mean, number_at(row, {"phases", phase, "std_s"}));
}

std::string median_text(const Json& row) {
  const auto median = number_at(row, {"phases", "total", "median_s"});
  if (!median) return {};
  const auto low = number_at(row, {"phases", "total", "median_low_s"});
  const auto high = number_at(row, {"phases", "total", "median_high_s"});
  if (!low || !high) return milliseconds_text(*median);
  return milliseconds_interval(*median, *low, *high);
}

FilledColumn number_cell(std::string title, KeyPath path,
                         const std::function<std::string(double)>& format) {
  return {{std::move(title), true},
          [keys = std::vector<std::string>(path.begin(), path.end()), format](const Json& row) {
            const Json* at = &row;
            for (const auto& key : keys) {
              at = find(*at, {key});
              if (at == nullptr) return std::string();
            }
            return at->is_number() ? format(at->get<double>()) : std::string();
          }};
}

FilledColumn phase_cell(std::string title, const std::string& phase) {
  return {{std::move(title), true}, [phase](const Json& row) { return spread_text(row, phase); }};
}

std::string note(const Json& row) {
  std::vector<std::string> parts;
  if (!is_measured(row)) {
    parts.push_back(text_at(row, {"outcome"}).value_or("failed") + ": " + why_unmeasured(row));
  }
  if (auto adjusted = text_at(row, {"adjusted"})) parts.push_back("adjusted: " + *adjusted);
  if (auto warnings = joined_warnings(row); !warnings.empty()) parts.push_back(warnings);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<FilledColumn> measured_columns() {
  std::vector<FilledColumn> columns{
      phase_cell("Forward (ms)", "forward"),
      phase_cell("Backward (ms)", "backward"),
      phase_cell("Optimizer (ms)", "optimizer"),
      phase_cell("Total (ms)", "total"),
      {{"Median and interval (ms)", true}, median_text},
      {{"Backward / forward", true},
       [](const Json& row) {
         const auto ratio = backward_forward_ratio(row);
         return ratio ? fmt::format("{:.2f}x", *ratio) : std::string();
       }},
  };
  columns.push_back(number_cell("Samples/s", {"samples_per_s"}, rate_text));
  columns.push_back(number_cell("Tokens/s", {"tokens_per_s"}, rate_text));
  columns.push_back(
      number_cell("MFU", {"mfu"}, [](double mfu) { return fmt::format("{:.1f}%", mfu * 100); }));
  columns.push_back(number_cell("Peak memory", {"memory", "peak_bytes"},
                                [](double bytes) { return format_bytes({bytes}); }));
  columns.push_back(number_cell("Energy", {"energy_j"},
                                [](double joules) { return fmt::format("{:.3g} J", joules); }));
  columns.push_back({{std::string(kNoteColumn), false}, note});
  return columns;
}

}  // namespace

ReaderTable bench_reader_table(const Rows& rows) {
  std::vector<FilledColumn> columns{{{"Model", false}, row_label},
                                    number_cell("Parameters", {"parameters"}, format_count)};
  for (const auto& setting : telling_settings(rows)) {
    columns.push_back({{std::string(setting.title), true},
                       [key = setting.key](const Json& row) { return setting_text(row, key); }});
  }
  std::ranges::move(measured_columns(), std::back_inserter(columns));

  std::erase_if(columns, [&](const FilledColumn& column) {
    return std::ranges::all_of(rows, [&](const Json& row) { return column.cell(row).empty(); });
  });
  ReaderTable table;
  for (const auto& column : columns) table.columns.push_back(column.heading);
  for (const Json& row : rows) {
    auto& line = table.rows.emplace_back();
    for (const auto& column : columns) line.push_back(column.cell(row));
  }
  return table;
}

}  // namespace ridgeline
