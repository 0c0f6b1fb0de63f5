#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "profile/memory_timeline.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/reader_table.h"

namespace ridgeline {

// What the memory was for at the worst moment, a line a kind, and in all.
[[nodiscard]] ReaderTable memory_table(const MemoryCurve& curve);
// "Peak memory on the CPU: 189.25 MiB, in the backward of layer4 (aten::empty), step 3; ..."
[[nodiscard]] std::string memory_sentence(const MemoryTimeline& timeline);
// Sentence and table.
[[nodiscard]] std::string to_text(const MemoryTimeline& timeline);

// What profile.json says of it: the peak and its kinds, without the curve.
[[nodiscard]] nlohmann::json memory_summary_json(const MemoryTimeline& timeline);
// What memory.json holds: that and the curve, of every place, in columns.
[[nodiscard]] nlohmann::json memory_timeline_json(const MemoryTimeline& timeline);

// Stacked by kind over time, the peak marked.
[[nodiscard]] Figure memory_figure(const MemoryTimeline& timeline, const std::string& title);
[[nodiscard]] Section memory_section(const MemoryTimeline& timeline);

}  // namespace ridgeline
