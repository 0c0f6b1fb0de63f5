#include "report/verdict_table.h"

#include <fmt/format.h>

namespace ridgeline {
namespace {

std::string number_text(const Json& verdict, std::string_view key) {
  return csv_number(number_at(verdict, {key}));
}

std::string decimal_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : std::string("–");
}

std::string interval_text(const Json& verdict) {
  const auto low = number_at(verdict, {"speedup_low"});
  const auto high = number_at(verdict, {"speedup_high"});
  return low && high ? fmt::format("{:.3f}–{:.3f}", *low, *high) : std::string("–");
}

}  // namespace

CsvTable verdict_csv(const std::vector<Json>& verdicts) {
  CsvTable table;
  table.header = {"a",          "b",           "verdict",
                  "speedup",    "speedup_low", "speedup_high",
                  "confidence", "rounds",      "threshold_percent"};
  for (const Json& verdict : verdicts) {
    table.rows.push_back(
        {text_at(verdict, {"a"}).value_or(""), text_at(verdict, {"b"}).value_or(""),
         text_at(verdict, {"verdict"}).value_or(""), number_text(verdict, "speedup"),
         number_text(verdict, "speedup_low"), number_text(verdict, "speedup_high"),
         number_text(verdict, "confidence"), number_text(verdict, "rounds"),
         number_text(verdict, "threshold_percent")});
  }
  return table;
}

ReaderTable verdict_reader_table(const std::vector<Json>& verdicts) {
  ReaderTable table;
  table.columns = {{.title = "A"},
                   {.title = "B"},
                   {.title = "B is"},
                   {.title = "Speed-up", .right_aligned = true},
                   {.title = "Interval", .right_aligned = true},
                   {.title = "Rounds", .right_aligned = true}};
  for (const Json& verdict : verdicts) {
    table.rows.push_back({text_at(verdict, {"a"}).value_or(""),
                          text_at(verdict, {"b"}).value_or(""),
                          text_at(verdict, {"verdict"}).value_or(""),
                          decimal_text(number_at(verdict, {"speedup"}), 3), interval_text(verdict),
                          decimal_text(number_at(verdict, {"rounds"}), 0)});
  }
  return table;
}

}  // namespace ridgeline
