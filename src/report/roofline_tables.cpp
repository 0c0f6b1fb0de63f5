#include "report/roofline_tables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/display.h"
#include "core/format.h"
#include "report/units_text.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

// Zero has no place on a roofline, so it is a dash as what is not known.
std::string number_or_dash(std::optional<double> value) {
  if (!value || !(*value > 0)) return "–";
  return *value < 1000 ? fmt::format("{:.4g}", *value) : rate_text(*value);
}

// 2.74 G: with the prefixes of units, as FLOPs and bytes are read together here.
std::string prefixed(double count, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (step + 1 < kPrefixes.size() && count >= 999.5) {
    count /= 1000;
    ++step;
  }
  const std::string name = std::string(kPrefixes[step]) + std::string(unit);
  return fmt::format("{:.3g}{}{}", count, name.empty() ? "" : " ", name);
}

std::optional<double> intensity_of(const RooflinePoint& point, MemoryLevel level) {
  const auto intensity = point.intensity(level);
  return intensity ? std::optional(intensity->value) : std::nullopt;
}

std::optional<double> gflops_of(const RooflinePoint& point) {
  const auto rate = point.rate();
  return rate ? std::optional(rate->value / 1e9) : std::nullopt;
}

std::string_view counted_by(const RooflinePoint& point) {
  if (point.partly_by_shapes) return "counters and shapes";
  return point.by_shapes ? "shapes" : "counters";
}

std::string reached(const PointVerdict& verdict) {
  if (!verdict.nearest) return "–";
  return fmt::format("{:.0f} % of {}", 100 * verdict.share, verdict.nearest->name());
}

std::vector<std::string> step_cells(const PointSet& run, const Ceilings& ceilings) {
  if (!run.step) return {"", "", "", ""};
  return {csv_number(run.step->clock.count()),
          csv_number(judge_step(run.points, ceilings).least.count()), csv_number(run.step->mfu),
          csv_number(run.step->hfu)};
}

// All in their order, or where there are more than are shown the longest.
std::vector<const RooflinePoint*> shown_points(const std::vector<RooflinePoint>& points,
                                               std::size_t top) {
  std::vector<const RooflinePoint*> shown;
  for (const RooflinePoint& point : points) shown.push_back(&point);
  if (shown.size() <= top) return shown;
  std::ranges::stable_sort(shown, std::greater{},
                           [](const RooflinePoint* point) { return point->time; });
  shown.resize(top);
  return shown;
}

}  // namespace

ReaderTable roofline_table(const std::vector<RooflinePoint>& points, const Ceilings& ceilings,
                           const RooflineTableOptions& options) {
  ReaderTable table;
  const bool least = std::ranges::all_of(points, &RooflinePoint::by_shapes);
  table.columns = {{"Name"},
                   {"Kind"},
                   {"Calls", true},
                   {"Time", true},
                   {"Share", true},
                   {least ? "Least FLOP" : "FLOP", true},
                   {(least ? "Least " : "") + std::string(name_of(options.level)), true},
                   {"FLOP/byte", true},
                   {"GFLOP/s", true}};
  const bool judged = !ceilings.empty();
  if (judged) {
    table.columns.push_back({"Bound"});
    table.columns.push_back({"Reached", true});
    table.columns.push_back({"To win", true});
    if (options.evidence) table.columns.push_back({"Evidence"});
  }
  Seconds total{};
  for (const RooflinePoint& point : points) total += point.time;
  for (const RooflinePoint* const shown : shown_points(points, options.top)) {
    const RooflinePoint& point = *shown;
    const auto moved = point.of(options.level);
    const auto at_least = [&](double count, const char* unit) {
      const bool marked = !least && count > 0 && (point.by_shapes || point.partly_by_shapes);
      return (marked ? "≥ " : "") + prefixed(count, unit);
    };
    std::vector<std::string> row{shortened(printable(short_label(point)), options.name_width),
                                 std::string(name_of(point.kind)),
                                 point.is_overhead() ? "–" : std::to_string(point.calls),
                                 format_seconds(point.time),
                                 fmt::format("{:.1f} %", 100 * (point.time / total)),
                                 at_least(point.total_flop().count, ""),
                                 moved ? at_least(moved->count, "B") : "–",
                                 number_or_dash(intensity_of(point, options.level)),
                                 number_or_dash(gflops_of(point))};
    if (judged) {
      const PointVerdict verdict = judge(point, ceilings);
      row.push_back(verdict.bound());
      row.push_back(reached(verdict));
      row.push_back(format_seconds(verdict.won));
      if (options.evidence) row.push_back(verdict.evidence);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvTable roofline_csv(const std::vector<RooflinePoint>& points, const Ceilings& ceilings,
                      const PointSet& run) {
  CsvTable table;
  table.header = {"run", "name", "detail", "phase", "kind", "calls", "time_s", "flop"};
  for (const ComputePath path : all_compute_paths()) {
    std::string name = fmt::format("flop_{}", name_of(path));
    std::ranges::replace(name, ' ', '_');
    table.header.push_back(std::move(name));
  }
  for (const char* const name : {"dram_bytes",
                                 "l3_bytes",
                                 "l2_bytes",
                                 "l1_bytes",
                                 "flop_per_dram_byte",
                                 "flop_per_l3_byte",
                                 "flop_per_l2_byte",
                                 "flop_per_l1_byte",
                                 "gflop_per_s",
                                 "sm_percent",
                                 "dram_percent",
                                 "bound",
                                 "nearest_ceiling",
                                 "share_of_ceiling",
                                 "won_s",
                                 "evidence",
                                 "counted_by",
                                 "cache_control",
                                 "step_s",
                                 "step_best_s",
                                 "mfu",
                                 "hfu"})
    table.header.emplace_back(name);
  const auto bytes = [](const RooflinePoint& point, MemoryLevel level) {
    const auto moved = point.of(level);
    return csv_number(moved ? std::optional(moved->count) : std::nullopt);
  };
  const std::vector<std::string> of_step = step_cells(run, ceilings);
  for (const RooflinePoint& point : points) {
    const PointVerdict verdict = judge(point, ceilings);
    std::vector<std::string> row{run.label,
                                 point.label,
                                 point.detail,
                                 point.phase,
                                 std::string(name_of(point.kind)),
                                 std::to_string(point.calls),
                                 csv_number(point.time.count()),
                                 csv_number(point.total_flop().count)};
    for (const Flop flop : point.flop) row.push_back(csv_number(flop.count));
    for (const MemoryLevel level : all_memory_levels()) row.push_back(bytes(point, level));
    for (const MemoryLevel level : all_memory_levels())
      row.push_back(csv_number(intensity_of(point, level)));
    row.push_back(csv_number(gflops_of(point)));
    row.push_back(csv_number(point.sm_percent));
    row.push_back(csv_number(point.dram_percent));
    row.push_back(verdict.bound());
    row.push_back(verdict.nearest ? verdict.nearest->name() : "");
    row.push_back(csv_number(verdict.nearest ? std::optional(verdict.share) : std::nullopt));
    row.push_back(csv_number(verdict.nearest || verdict.overhead || point.won
                                 ? std::optional(verdict.won.count())
                                 : std::nullopt));
    row.push_back(verdict.evidence);
    row.emplace_back(counted_by(point));
    row.emplace_back(run.cache && !point.by_shapes ? name_of(*run.cache) : "");
    row.insert(row.end(), of_step.begin(), of_step.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> point_facts(const RooflinePoint& point, const Ceilings& ceilings) {
  const PointVerdict verdict = judge(point, ceilings);
  std::vector<std::string> facts{fmt::format("{} {}, {} in all, {}", point.calls,
                                             point.calls == 1 ? "call" : "calls",
                                             format_seconds(point.time), name_of(point.kind))};
  if (!point.detail.empty()) facts.push_back(point.detail);
  facts.insert(facts.end(), point.shapes.begin(), point.shapes.end());
  if (!point.phase.empty()) facts.push_back("in " + point.phase);
  std::string rates = fmt::format("{} GFLOP/s", rate_text(gflops_of(point).value_or(0)));
  for (const MemoryLevel level : all_memory_levels()) {
    if (const auto intensity = intensity_of(point, level))
      rates += fmt::format(", {:.4g} FLOP per {} byte", *intensity, name_of(level));
  }
  facts.push_back(std::move(rates));
  if (point.by_shapes || point.partly_by_shapes)
    facts.push_back(fmt::format("FLOPs and bytes by {}",
                                point.by_shapes ? "shapes, not counted" : "counters and shapes"));
  if (verdict.nearest) {
    facts.push_back(fmt::format("bound: {}; {}; {} to win", verdict.bound(), reached(verdict),
                                format_seconds(verdict.won)));
  }
  if (!verdict.evidence.empty()) facts.push_back(verdict.evidence);
  return facts;
}

}  // namespace ridgeline
