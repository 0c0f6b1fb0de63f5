#include "profile/memory_report.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/format.h"
#include "core/utf8.h"
#include "report/html_text.h"
#include "report/plotly.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "ridgeline.memory/1";

constexpr std::array<MemoryKind, kMemoryKinds> kKinds{
    MemoryKind::Parameter, MemoryKind::OptimizerState, MemoryKind::Buffer,    MemoryKind::Input,
    MemoryKind::Gradient,  MemoryKind::Activation,     MemoryKind::Temporary, MemoryKind::Other};

std::string bytes_text(std::int64_t bytes) { return format_bytes({static_cast<double>(bytes)}); }

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

double seconds(Nanoseconds time) { return static_cast<double>(time) * 1e-9; }

std::string key_of(MemoryKind kind) {
  std::string key = name_of(kind);
  std::ranges::replace(key, ' ', '_');
  return key;
}

const char* place_name(const MemoryCurve& curve) { return curve.on_device ? "GPU" : "CPU"; }

Nanoseconds start_of(const MemoryTimeline& timeline) {
  if (!timeline.steps.empty()) return timeline.steps.front().start;
  return timeline.main.levels.empty() ? 0 : timeline.main.levels.front().time;
}

std::string peak_place(const MemoryPeak& peak) {
  std::string text;
  if (peak.phase != StepPhase::None) text += fmt::format(", in the {}", name_of(peak.phase));
  if (!peak.module.empty()) text += fmt::format(" of {}", peak.module);
  if (!peak.op.empty()) text += fmt::format(" ({})", peak.op);
  if (peak.step >= 0) text += fmt::format(", step {}", peak.step);
  return text;
}

std::string allocators_own(const MemoryCurve& curve) {
  if (!curve.allocator_peak) return "";
  return fmt::format(" The allocator's own peak is {}.", bytes_text(*curve.allocator_peak));
}

json lost_json(const MemoryTimeline& timeline) {
  return {{"records", timeline.lost}, {"from_s", seconds(timeline.lost_from - start_of(timeline))}};
}

bool appears(const MemoryCurve& curve, MemoryKind kind) {
  return curve.highest[static_cast<std::size_t>(kind)] > 0;
}

// Also where records were lost.
json known_of(const MemoryCurve& curve) {
  json object{{"place", curve.on_device ? "cuda" : "cpu"}, {"first_bytes", curve.first}};
  if (curve.allocator_peak) object["allocator_peak_bytes"] = *curve.allocator_peak;
  if (curve.allocator_reserved) object["allocator_reserved_bytes"] = *curve.allocator_reserved;
  return object;
}

json summary_of(const MemoryCurve& curve, const MemoryTimeline& timeline) {
  json object = known_of(curve);
  if (timeline.lost > 0) return object;
  const MemoryPeak& peak = curve.peak;
  object["peak_bytes"] = peak.level.total();
  object["peak_phase"] = name_of(peak.phase);
  object["peak_at_s"] = seconds(peak.level.time - start_of(timeline));
  object["allocations"] = curve.allocations;
  object["allocated_bytes"] = curve.allocated;
  if (peak.step >= 0) object["peak_step"] = peak.step;
  if (!peak.module.empty()) object["peak_module"] = with_valid_utf8(peak.module);
  if (!peak.op.empty()) object["peak_op"] = with_valid_utf8(peak.op);
  json& kinds = object["kinds"] = json::object();
  for (const MemoryKind kind : kKinds) {
    const auto place = static_cast<std::size_t>(kind);
    kinds[key_of(kind)] = {{"at_peak_bytes", peak.level.of(kind)},
                           {"highest_bytes", curve.highest[place]},
                           {"blocks", curve.blocks[place]}};
  }
  return object;
}

json curve_json(const MemoryCurve& curve, Nanoseconds start) {
  json times = json::array();
  json totals = json::array();
  json kinds = json::object();
  for (const MemoryMoment& level : curve.levels) {
    times.push_back(seconds(level.time - start));
    totals.push_back(level.total());
    for (const MemoryKind kind : kKinds) {
      if (appears(curve, kind)) kinds[key_of(kind)].push_back(level.of(kind));
    }
  }
  return {{"time_s", std::move(times)},
          {"total_bytes", std::move(totals)},
          {"bytes", std::move(kinds)}};
}

struct ByteScale {
  double factor;
  const char* unit;
};
ByteScale scale_of(std::int64_t largest) {
  if (largest >= std::int64_t{1} << 31) return {.factor = 0x1p-30, .unit = "GiB"};
  return largest >= std::int64_t{1} << 21 ? ByteScale{.factor = 0x1p-20, .unit = "MiB"}
                                          : ByteScale{.factor = 0x1p-10, .unit = "KiB"};
}

}  // namespace

ReaderTable memory_table(const MemoryCurve& curve) {
  ReaderTable table{.columns = {{.title = "memory"},
                                {.title = "at the peak", .right_aligned = true},
                                {.title = "share", .right_aligned = true},
                                {.title = "highest", .right_aligned = true},
                                {.title = "blocks", .right_aligned = true}},
                    .rows = {}};
  const std::int64_t total = curve.peak.level.total();
  std::uint64_t blocks = 0;
  for (const MemoryKind kind : kKinds) {
    if (!appears(curve, kind)) continue;
    const auto place = static_cast<std::size_t>(kind);
    const std::int64_t bytes = curve.peak.level.of(kind);
    table.rows.push_back({name_of(kind), bytes_text(bytes), percent(bytes, total),
                          bytes_text(curve.highest[place]), std::to_string(curve.blocks[place])});
    blocks += curve.blocks[place];
  }
  table.rows.push_back({"in all", bytes_text(total), percent(total, total), bytes_text(total),
                        std::to_string(blocks)});
  return table;
}

std::string memory_sentence(const MemoryTimeline& timeline) {
  const MemoryCurve& curve = timeline.main;
  if (timeline.lost > 0)
    return fmt::format(
        "Memory on the {} is known for the first {} alone: {} allocations and releases after that "
        "are beyond --trace-limit, so no peak and no sums are told.{}",
        place_name(curve),
        format_seconds(Seconds(seconds(timeline.lost_from - start_of(timeline)))), timeline.lost,
        allocators_own(curve));
  std::string text = fmt::format(
      "Peak memory on the {}: {}{}; {} when the steps began, {} allocations of {} in all.",
      place_name(curve), bytes_text(curve.peak.level.total()), peak_place(curve.peak),
      bytes_text(curve.first), curve.allocations, bytes_text(curve.allocated));
  return text + allocators_own(curve);
}

std::string to_text(const MemoryTimeline& timeline) {
  if (timeline.lost > 0) return memory_sentence(timeline) + "\n";
  ReaderTable rows = memory_table(timeline.main);
  Table table(std::move(rows.columns));
  for (auto& cells : rows.rows) table.add(std::move(cells));
  return memory_sentence(timeline) + "\n\n" + table.to_text();
}

json memory_summary_json(const MemoryTimeline& timeline) {
  json object = summary_of(timeline.main, timeline);
  if (timeline.lost > 0) object["lost"] = lost_json(timeline);
  if (timeline.freed_unseen > 0) object["freed_unseen"] = timeline.freed_unseen;
  return object;
}

json memory_timeline_json(const MemoryTimeline& timeline) {
  const Nanoseconds start = start_of(timeline);
  json places = json::array();
  const auto add = [&](const MemoryCurve& curve) {
    json place = summary_of(curve, timeline);
    place["curve"] = curve_json(curve, start);
    places.push_back(std::move(place));
  };
  add(timeline.main);
  if (timeline.host) add(*timeline.host);
  json steps = json::array();
  for (const RecordedStep& step : timeline.steps)
    steps.push_back({{"number", step.number},
                     {"begin_s", seconds(step.start - start)},
                     {"end_s", seconds(step.end - start)}});
  json object{{"schema", kSchema}, {"steps", std::move(steps)}, {"places", std::move(places)}};
  if (timeline.lost > 0) object["lost"] = lost_json(timeline);
  if (timeline.freed_unseen > 0) object["freed_unseen"] = timeline.freed_unseen;
  return object;
}

Figure memory_figure(const MemoryTimeline& timeline, const std::string& title) {
  const MemoryCurve& curve = timeline.main;
  const std::int64_t peak = curve.peak.level.total();
  if (curve.levels.empty() || peak <= 0) return {};
  const Nanoseconds start = start_of(timeline);
  const ByteScale scale = scale_of(peak);
  const auto milliseconds = [&](Nanoseconds time) { return 1e3 * seconds(time - start); };
  Panel panel{.title = fmt::format("Memory in use on the {}", place_name(curve)),
              .x = {.label = "Time (ms)", .logarithmic = false, .categories = {}},
              .y = {.label = fmt::format("Memory ({})", scale.unit),
                    .logarithmic = false,
                    .categories = {}},
              .mark = Mark::Area,
              .series = {}};
  for (const MemoryKind kind : kKinds) {
    if (!appears(curve, kind)) continue;
    Series series{.name = name_of(kind), .points = {}, .colour = static_cast<std::size_t>(kind)};
    for (const MemoryMoment& level : curve.levels)
      series.points.push_back({.x = milliseconds(level.time),
                               .y = static_cast<double>(level.of(kind)) * scale.factor,
                               .low = {},
                               .high = {}});
    panel.series.push_back(std::move(series));
  }
  if (timeline.lost == 0)
    panel.callouts.push_back(
        {.x = milliseconds(curve.peak.level.time),
         .y = static_cast<double>(peak) * scale.factor,
         .text = fmt::format("peak {}{}", bytes_text(peak), peak_place(curve.peak))});
  return {.title = title, .panels = {std::move(panel)}};
}

Section memory_section(const MemoryTimeline& timeline) {
  return {.id = "memory",
          .title = "Memory",
          .body = html_prose(memory_sentence(timeline)) +
                  (timeline.lost > 0 ? "" : html_table(memory_table(timeline.main))),
          .charts = plotly_charts(memory_figure(timeline, {}))};
}

}  // namespace ridgeline
