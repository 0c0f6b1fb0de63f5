#include "report/roofline_remarks.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "roofline/flop_metrics.h"
#include "roofline/ncu_command.h"
#include "roofline/ncu_notes.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

// By shapes more than a memory's bandwidth is no wonder: the operands were in a cache.
bool is_above(const RooflinePoint& point, const PointVerdict& verdict) {
  if (!verdict.nearest || verdict.share <= kMostCredible) return false;
  const bool in_memory = std::holds_alternative<MemoryLevel>(verdict.nearest->what);
  return !(in_memory && (point.by_shapes || point.partly_by_shapes));
}

// What a file had once is not known of its points, but what it found is.
NcuCommandOptions with_counted(const std::vector<PointSet>& sets, MemoryLevel level) {
  NcuCommandOptions options;
  const auto some = [&](ComputePath path) {
    return std::ranges::any_of(sets, [&](const PointSet& set) {
      return std::ranges::any_of(set.points, [&](const RooflinePoint& point) {
        return point.flop[index_of(path)].count > 0;
      });
    });
  };
  for (const FlopMetric& counted : kFlopMetrics) {
    if (!some(counted.path)) continue;
    if (is_tensor(counted.path)) {
      options.tensor = true;
    } else {
      options.also.push_back(counted.metric);
    }
  }
  options.also.push_back(level == MemoryLevel::L2 ? NcuMetric::L2Bytes : NcuMetric::L1Bytes);
  return options;
}

bool is_of_ncu(const PointSet& set) { return set.source.starts_with("ncu: "); }

}  // namespace

std::optional<std::string> without_peak_remark(const std::vector<PointSet>& sets,
                                               const Ceilings& ceilings) {
  std::vector<RooflinePoint> totals;
  for (const PointSet& set : sets) totals.push_back(total_of(set.points, set.label));
  return without_peak_sentence(totals, ceilings);
}

std::optional<std::string> contradiction_remark(const PointSet& set, const Ceilings& ceilings) {
  constexpr double kTolerated = 0.2;
  const auto peak = ceilings.of(MemoryLevel::Dram);
  const auto implied = implied_dram_bandwidth(set.points);
  if (!is_of_ncu(set) || !implied || !peak) return std::nullopt;
  if (std::abs(implied->value / peak->value - 1) <= kTolerated) return std::nullopt;
  return fmt::format(
      "DRAM bytes, times and percentages of the file imply a bandwidth of {:.0f} GB/s, not the "
      "{:.0f} GB/s of {}: is it this card?",
      implied->value / 1e9, peak->value / 1e9, ceilings.machine);
}

std::vector<std::string> file_notes(const std::vector<PointSet>& sets) {
  std::vector<std::string> notes;
  for (const PointSet& set : sets) {
    if (!is_of_ncu(set)) continue;
    for (const std::string& note : set.notes)
      notes.push_back(sets.size() > 1 ? set.label + ": " + note : note);
  }
  return notes;
}

std::optional<std::string> above_ceiling_remark(const std::vector<PointSet>& sets,
                                                const Ceilings& ceilings) {
  std::size_t count = 0;
  double most = 0;
  std::string which;
  for (const PointSet& set : sets) {
    for (const RooflinePoint& point : set.points) {
      const PointVerdict verdict = judge(point, ceilings);
      if (!is_above(point, verdict)) continue;
      ++count;
      if (verdict.share <= most) continue;
      most = verdict.share;
      which = fmt::format("{} at {:.0f} % of {}", short_label(point), 100 * most,
                          verdict.nearest->name());
    }
  }
  if (count == 0) return std::nullopt;
  return fmt::format("Above a ceiling: {} {}, most of all {}: a peak of another machine or clock?",
                     count, count == 1 ? "point" : "points", which);
}

std::optional<std::string> other_machine_remark(const std::vector<PointSet>& sets,
                                                const Ceilings& ceilings) {
  for (const PointSet& set : sets) {
    if (set.ceilings.machine.empty() || set.ceilings.machine == ceilings.machine) continue;
    return fmt::format("{} is of {}, and stands here under the roofs of {}", set.label,
                       set.ceilings.machine, ceilings.machine);
  }
  return std::nullopt;
}

std::string how_to_collect(const std::vector<PointSet>& sets, MemoryLevel level) {
  if (std::ranges::none_of(sets, is_of_ncu) ||
      (level != MemoryLevel::L2 && level != MemoryLevel::L1))
    return "";
  return "; " + how_to_count(with_counted(sets, level));
}

}  // namespace ridgeline
