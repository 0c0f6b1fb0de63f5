#include "report/training_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "report/html_text.h"
#include "report/plotly.h"

namespace ridgeline {
namespace {

struct Column {
  const char* title;
  const char* key;
  bool whole = false;
};

constexpr std::array kEpochColumns{
    Column{"epoch", "epoch", true},
    Column{"step", "step", true},
    Column{"learning_rate", "learning_rate"},
    Column{"train_loss", "loss"},
    Column{"train_accuracy_percent", "accuracy_percent"},
    Column{"test_loss", "test_loss"},
    Column{"test_accuracy_percent", "test_accuracy_percent"},
    Column{"samples_per_s", "samples_per_s"},
    Column{"wall_s", "wall_s"},
    Column{"data_wait_s", "data_wait_s"},
    Column{"compute_s", "compute_s"},
    Column{"test_s", "test_s"},
    Column{"peak_bytes", "peak_bytes", true},
};
constexpr std::array kStepColumns{
    Column{"step", "step", true},
    Column{"epoch", "epoch", true},
    Column{"learning_rate", "learning_rate"},
    Column{"loss", "loss"},
    Column{"accuracy_percent", "accuracy_percent"},
    Column{"samples_per_s", "samples_per_s"},
    Column{"tokens_per_s", "tokens_per_s"},
    Column{"step_s", "step_s"},
    Column{"data_wait_s", "data_wait_s"},
    Column{"compute_s", "compute_s"},
    Column{"current_bytes", "current_bytes", true},
    Column{"peak_bytes", "peak_bytes", true},
};

template <std::size_t N>
CsvTable table_of(const Json& entries, const std::array<Column, N>& columns) {
  CsvTable table;
  for (const Column& column : columns) table.header.emplace_back(column.title);
  for (const Json& entry : entries) {
    std::vector<std::string> row;
    for (const Column& column : columns) {
      const auto value = number_at(entry, {column.key});
      row.push_back(column.whole ? csv_integer(value) : csv_number(value));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

const Json& entries_of(const Json& training, const char* name) {
  static const Json kNone = Json::array();
  const Json* const entries = find(training, {name});
  return entries != nullptr && entries->is_array() ? *entries : kNone;
}

// Of a language model the epochs' tests stand in the row of the step that ended them.
void add_held_out_loss(CsvTable& table, const Json& steps, const Json& epochs) {
  std::map<double, double> losses;
  for (const Json& epoch : epochs) {
    const auto step = number_at(epoch, {"step"});
    const auto loss = number_at(epoch, {"test_loss"});
    if (step && loss) losses.emplace(*step, *loss);
  }
  table.header.emplace_back("held_out_loss");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto found = losses.find(number_at(steps[i], {"step"}).value_or(-1));
    table.rows[i].push_back(found == losses.end() ? "" : csv_number(found->second));
  }
}

bool held_out(const Json& training) {
  return number_at(training, {"held_out_images"}).value_or(0) > 0 ||
         number_at(training, {"held_out_tokens"}).value_or(0) > 0;
}

Series series_of(const Json& entries, std::string name, const char* key) {
  Series series{.name = std::move(name), .points = {}};
  for (const Json& entry : entries) {
    const auto step = number_at(entry, {"step"});
    const auto value = number_at(entry, {key});
    if (step && value) series.points.push_back({.x = *step, .y = *value, .low = {}, .high = {}});
  }
  return series;
}

Panel panel_of(std::string title, std::string label, std::vector<Series> candidates) {
  Panel panel{.title = std::move(title),
              .x = {.label = "Step", .logarithmic = false, .categories = {}},
              .y = {.label = std::move(label), .logarithmic = false, .categories = {}},
              .mark = Mark::Line,
              .series = {}};
  for (Series& series : candidates) {
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

}  // namespace

CsvTable training_csv(const Json& training) {
  const Json& epochs = entries_of(training, "epochs");
  const bool scored = std::ranges::any_of(epochs, [](const Json& epoch) {
    return number_at(epoch, {"test_accuracy_percent"}).has_value();
  });
  if (!scored) {
    const Json& steps = entries_of(training, "steps");
    CsvTable table = table_of(steps, kStepColumns);
    if (number_at(training, {"held_out_tokens"}).value_or(0) > 0)
      add_held_out_loss(table, steps, epochs);
    return table;
  }
  CsvTable table = table_of(epochs, kEpochColumns);
  for (std::string& title : table.header) {
    if (held_out(training) && title.starts_with("test_"))
      title.replace(0, std::string_view("test").size(), "held_out");
  }
  return table;
}

Figure training_figure(const Json& training) {
  const Json& steps = entries_of(training, "steps");
  const Json& epochs = entries_of(training, "epochs");
  Figure figure{.title = "Training", .panels = {}};
  if (const auto label = text_at(training, {"label"})) figure.title += " of " + *label;
  const std::string judged = held_out(training) ? "held-out" : "test";
  std::array panels{
      panel_of("Loss", "Loss",
               {series_of(steps, "train", "loss"), series_of(epochs, judged, "test_loss")}),
      panel_of("Accuracy", "Accuracy (%)",
               {series_of(steps, "train", "accuracy_percent"),
                series_of(epochs, judged, "test_accuracy_percent")}),
      panel_of("Learning rate", "Learning rate", {series_of(steps, "rate", "learning_rate")}),
      panel_of("Speed, end to end", "Samples a second",
               {series_of(steps, "samples/s", "samples_per_s")}),
  };
  for (Panel& panel : panels) {
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  }
  return figure;
}

ReaderTable training_reader_table(const Json& training) {
  ReaderTable table{.columns = {{"What", false}, {"Value", true}}, .rows = {}};
  const Json* const summary = find(training, {"summary"});
  if (summary == nullptr || !summary->is_object()) return table;
  for (const auto& [name, value] : summary->items()) {
    if (value.is_number_integer())
      table.rows.push_back({name, fmt::format("{}", value.get<std::int64_t>())});
    else if (name.ends_with("_bytes") && value.is_number())
      table.rows.push_back({name, csv_integer(value.get<double>())});
    else if (value.is_number())
      table.rows.push_back({name, fmt::format("{:.6g}", value.get<double>())});
    else if (value.is_string())
      table.rows.push_back({name, value.get<std::string>()});
  }
  return table;
}

std::optional<Section> training_section(const std::optional<Json>& training) {
  if (!training) return std::nullopt;
  return Section{.id = "training",
                 .title = "Training",
                 .body = html_table(training_reader_table(*training)),
                 .charts = plotly_charts(training_figure(*training))};
}

}  // namespace ridgeline
