#pragma once

#include <optional>

#include "report/html.h"
#include "report/run_document.h"

namespace ridgeline {

// The page of a run: summary, verdicts, rows, charts, samples, warm-up study, environment. Sections
// without content are left out; later ones can be added before html_page is called.
[[nodiscard]] Page run_page(const RunDocument& run);

// Its parts, each absent when the run has nothing for it.
[[nodiscard]] Section summary_section(const RunDocument& run);
[[nodiscard]] std::optional<Section> verdict_section(const std::vector<Json>& verdicts);
[[nodiscard]] std::optional<Section> rows_section(const Rows& rows);
[[nodiscard]] std::optional<Section> charts_section(const Rows& rows);
[[nodiscard]] std::optional<Section> samples_section(const Rows& rows);
[[nodiscard]] std::optional<Section> warmup_section(const std::optional<Json>& study);
[[nodiscard]] std::optional<Section> environment_section(const RunDocument& run);

}  // namespace ridgeline
