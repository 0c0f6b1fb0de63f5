#include "report/loader_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/bench_table.h"
#include "report/units_text.h"

namespace ridgeline {
namespace {

std::optional<double> workers_of(const Json& row) {
  return number_at(row, {"settings", "workers"});
}

bool same_but_workers(const Json& a, const Json& b) {
  const auto setting = [](const Json& row, std::string_view key) { return setting_text(row, key); };
  return row_label(a) == row_label(b) && setting(a, "batch_size") == setting(b, "batch_size") &&
         setting(a, "output") == setting(b, "output");
}

// Images a second at an end of the interval of a batch's time.
std::optional<double> rate_at(const Json& row, std::string_view key) {
  const auto time = number_at(row, {"phases", "total", key});
  const auto batch = number_at(row, {"settings", "batch_size"});
  if (!time || !batch || !(*time > 0)) return std::nullopt;
  return *batch / *time;
}

// A copy writes half of the bytes it moves.
std::optional<double> copy_writes(const Json& row) {
  const auto moved = number_at(row, {"peak", "bytes_per_s"});
  return moved ? std::optional(*moved / 2) : std::nullopt;
}

std::string rate_with_interval(const Json& row) {
  const auto rate = number_at(row, {"samples_per_s"});
  if (!rate) return {};
  const auto low = rate_at(row, "median_high_s");
  const auto high = rate_at(row, "median_low_s");
  if (!low || !high) return rate_text(*rate);
  return fmt::format("{} ({}–{})", rate_text(*rate), rate_text(*low), rate_text(*high));
}

std::string gigabytes(std::optional<double> bytes_per_s) {
  return bytes_per_s ? fmt::format("{:.2f}", *bytes_per_s / 1e9) : std::string();
}

std::string note(const Json& row) {
  return is_measured(row)
             ? joined_warnings(row)
             : text_at(row, {"outcome"}).value_or("failed") + ": " + why_unmeasured(row);
}

}  // namespace

bool are_loader_rows(const Rows& rows) {
  return !rows.empty() && std::ranges::all_of(rows, [](const Json& row) {
    return text_at(row, {"model"}) == "loader";
  });
}

std::optional<double> scaling_of(const Json& row, const Rows& rows) {
  const auto workers = workers_of(row);
  const auto rate = number_at(row, {"samples_per_s"});
  if (!workers || !(*workers >= 1) || !rate) return std::nullopt;
  for (const Json& other : rows) {
    const auto one = number_at(other, {"samples_per_s"});
    if (workers_of(other) == 1.0 && one && *one > 0 && same_but_workers(row, other))
      return *rate / (*one * *workers);
  }
  return std::nullopt;
}

CsvTable loader_csv(const Rows& rows) {
  CsvTable table{
      .header = {"transform", "image_size", "output", "batch_size", "workers", "prefetch",
                 "images_per_s", "images_per_s_low", "images_per_s_high", "images_per_cpu_s",
                 "scaling", "written_bytes_per_s", "copy_written_bytes_per_s", "samples", "error"},
      .rows = {}};
  for (const Json& row : rows) {
    table.rows.push_back(
        {row_label(row), setting_text(row, "image_size"), setting_text(row, "output"),
         setting_text(row, "batch_size"), setting_text(row, "workers"),
         setting_text(row, "prefetch"), csv_number(number_at(row, {"samples_per_s"})),
         csv_number(rate_at(row, "median_high_s")), csv_number(rate_at(row, "median_low_s")),
         csv_number(number_at(row, {"samples_per_cpu_s"})), csv_number(scaling_of(row, rows)),
         csv_number(number_at(row, {"written_bytes_per_s"})), csv_number(copy_writes(row)),
         csv_integer(number_at(row, {"phases", "total", "count"})), why_unmeasured(row)});
  }
  return table;
}

ReaderTable loader_reader_table(const Rows& rows) {
  ReaderTable table{.columns = {{"Transform", false},
                                {"Output", false},
                                {"Batch", true},
                                {"Workers", true},
                                {"Images/s (95 %)", true},
                                {"Images per CPU second", true},
                                {"Scaling", true},
                                {"Written (GB/s)", true},
                                {"Copy writes (GB/s)", true},
                                {std::string(kNoteColumn), false}},
                    .rows = {}};
  for (const Json& row : rows) {
    const auto per_cpu = number_at(row, {"samples_per_cpu_s"});
    const auto scaling = scaling_of(row, rows);
    table.rows.push_back({row_label(row), setting_text(row, "output"),
                          setting_text(row, "batch_size"), setting_text(row, "workers"),
                          rate_with_interval(row), per_cpu ? rate_text(*per_cpu) : "",
                          scaling ? fmt::format("{:.2f}", *scaling) : "",
                          gigabytes(number_at(row, {"written_bytes_per_s"})),
                          gigabytes(copy_writes(row)), note(row)});
  }
  return table;
}

}  // namespace ridgeline
