#include "report/extra_columns.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "report/csv.h"
#include "report/variation.h"

namespace ridgeline {

namespace {

CsvColumn number_column(std::string title, std::string key, double factor = 1) {
  return {std::move(title), [key = std::move(key), factor](const Json& row) {
            const auto value = number_at(row, {key});
            return csv_number(value ? std::optional(*value * factor) : std::nullopt);
          }};
}

// Settings that tell these rows apart or are unusual, less those with a fixed column.
std::vector<CsvColumn> setting_columns(const Rows& rows) {
  std::vector<CsvColumn> columns;
  for (const auto& setting : telling_settings(rows)) {
    // The phases that are filled in say the extent already.
    if (setting.key == "context_length" || setting.key == "batch_size" || setting.key == "extent") {
      continue;
    }
    columns.push_back({std::string(setting.key), [key = std::string(setting.key)](const Json& row) {
                         return setting_text(row, key);
                       }});
  }
  return columns;
}

bool only_forward_and_backward(const Json& row) {
  const Json* asked = find(row, {"phases_asked"});
  if (asked == nullptr || !asked->is_array()) return true;
  return std::ranges::all_of(*asked, [](const Json& phase) {
    return phase == "forward" || phase == "backward" || phase == "forward+backward";
  });
}

bool several_models(const Rows& rows) {
  return std::ranges::any_of(rows, [&](const Json& row) {
    return text_at(row, {"model"}) != text_at(rows.front(), {"model"});
  });
}

std::vector<CsvColumn> measurement_columns() {
  std::vector<CsvColumn> columns{
      milliseconds_column("optimizer_mean_ms", "optimizer", "mean_s"),
      milliseconds_column("optimizer_std_ms", "optimizer", "std_s"),
      {"optimizer_cv_percent",
       [](const Json& row) {
         return csv_number(number_at(row, {"phases", "optimizer", "cv_percent"}));
       }},
      milliseconds_column("total_median_ms", "total", "median_s"),
      milliseconds_column("total_median_low_ms", "total", "median_low_s"),
      milliseconds_column("total_median_high_ms", "total", "median_high_s"),
      {"host_launch_median_ms",
       [](const Json& row) {
         const auto time = number_at(row, {"host_launch", "median_s"});
         return csv_number(time ? std::optional(*time * 1e3) : std::nullopt);
       }},
      {"peak_memory_bytes",
       [](const Json& row) {
         return csv_integer(number_at(row, {"memory", "peak_bytes"}));
       }},
  };
  columns.push_back(number_column("samples_per_s", "samples_per_s"));
  columns.push_back(number_column("tokens_per_s", "tokens_per_s"));
  columns.push_back(number_column("mfu_percent", "mfu", 100));
  columns.push_back(number_column("energy_j", "energy_j"));
  columns.push_back(
      {"adjusted", [](const Json& row) { return text_at(row, {"adjusted"}).value_or(""); }});
  columns.push_back({"warnings", joined_warnings});
  return columns;
}

}  // namespace

CsvColumn milliseconds_column(std::string title, std::string phase, std::string key) {
  return {std::move(title), [phase = std::move(phase), key = std::move(key)](const Json& row) {
            const auto seconds = number_at(row, {"phases", phase, key});
            return csv_number(seconds ? std::optional(*seconds * 1e3) : std::nullopt);
          }};
}

std::vector<CsvColumn> extra_columns(const Rows& rows) {
  std::vector<CsvColumn> columns = setting_columns(rows);
  const bool models = !rows.empty() && several_models(rows);
  const bool plain =
      columns.empty() && !models && std::ranges::all_of(rows, only_forward_and_backward);
  if (plain) return {};
  if (models) {
    columns.insert(columns.begin(), CsvColumn{"model", [](const Json& row) {
                                                return text_at(row, {"model"}).value_or("");
                                              }});
  }
  for (auto& column : measurement_columns()) {
    const auto fills = [&](const Json& row) { return !column.cell(row).empty(); };
    if (std::ranges::any_of(rows, fills)) columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace ridgeline
