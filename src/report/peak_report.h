#pragma once

#include <optional>

#include "report/csv.h"
#include "report/html.h"
#include "report/reader_table.h"
#include "report/roofline_scene.h"
#include "report/row.h"

namespace ridgeline {

// From the `peaks` part of a run (docs/roofline.md names its keys): a row a ceiling, compute before
// bandwidth, few threads before many.
[[nodiscard]] CsvTable peaks_csv(const Json& peaks);
// With the share of the datasheet's figure where the card is known.
[[nodiscard]] ReaderTable peaks_reader_table(const Json& peaks);
[[nodiscard]] std::optional<Section> peaks_section(const std::optional<Json>& peaks);
// The roof alone; absent when there is none to draw.
[[nodiscard]] std::optional<RooflineScene> peaks_scene(const Json& peaks);

}  // namespace ridgeline
