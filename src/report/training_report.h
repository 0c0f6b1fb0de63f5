#pragma once

#include <optional>

#include "report/csv.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/reader_table.h"
#include "report/row.h"

namespace ridgeline {

// From the `training` part of a run (docs/train.md names its keys). Training with epochs that were
// scored gives a row an epoch, other training a row a report.
[[nodiscard]] CsvTable training_csv(const Json& training);
// Loss, accuracy, learning rate and speed over the steps.
[[nodiscard]] Figure training_figure(const Json& training);
// Its summary, a line a fact.
[[nodiscard]] ReaderTable training_reader_table(const Json& training);
[[nodiscard]] std::optional<Section> training_section(const std::optional<Json>& training);

}  // namespace ridgeline
