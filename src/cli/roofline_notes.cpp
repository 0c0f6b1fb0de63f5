#include "cli/roofline_notes.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "core/format.h"
#include "roofline/flop_excess.h"

namespace ridgeline {
namespace {

// A point less than this of the step is not worth a line of its own among what has no cost model.
constexpr double kWorthSaying = 0.001;
// Arithmetic beyond what shapes ask for, as a part of all that they ask for.
constexpr double kWorthNaming = 0.005;

// "; most above: aten::convolution_backward 583 % (88.6 GFLOP more)"
std::string excess_text(const std::vector<FlopExcess>& excess) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(kMost, excess.size()); ++i) {
    const FlopExcess& one = excess[i];
    const std::string share =
        one.asked.count > 0 ? fmt::format(" {:.0f} %", 100 * one.executed.count / one.asked.count)
                            : "";
    named.push_back(fmt::format("{}{} ({:.3g} GFLOP more)", one.label, share,
                                (one.executed.count - one.asked.count) / 1e9));
  }
  return named.empty() ? "" : fmt::format("; most above: {}", fmt::join(named, ", "));
}

// "By kind, counted of asked for: convolution 105.1 of 104.8 GFLOP (100.3 %), ..."
std::string kinds_text(const std::vector<FlopExcess>& kinds) {
  std::vector<std::string> named;
  for (const FlopExcess& kind : kinds) {
    std::string text = fmt::format("{} {:.4g} of {:.4g} GFLOP", kind.label,
                                   kind.executed.count / 1e9, kind.asked.count / 1e9);
    if (kind.asked.count > 0)
      text += fmt::format(" ({:.1f} %)", 100 * kind.executed.count / kind.asked.count);
    named.push_back(std::move(text));
  }
  return fmt::format("By kind, counted of asked for: {}.", fmt::join(named, ", "));
}

std::string cache_text(CacheControl cache) {
  return cache == CacheControl::All
             ? "with the caches emptied before each kernel as ncu does (--cache-control all), so "
               "that DRAM moves more than in the step that was timed"
             : "with the caches as the step leaves them (--cache-control none)";
}

std::vector<std::string> work_notes(const JoinedKernels& joined,
                                    const std::vector<RooflinePoint>& by_shapes) {
  Flop asked{};
  Flop executed{};
  for (const RooflinePoint& point : by_shapes) asked = asked + point.total_flop();
  for (const RooflinePoint& point : joined.points) executed = executed + point.total_flop();
  if (!(asked.count > 0)) return {};
  return {fmt::format("Counted are {:.4g} GFLOP, {:.2f} % of what the shapes ask for{}.",
                      executed.count / 1e9, 100 * executed.count / asked.count,
                      excess_text(flop_excess(by_shapes, joined.points, kWorthNaming))),
          kinds_text(flop_of_kinds(by_shapes, joined.points))};
}

}  // namespace

std::string text_of(const ShapesNote& note) {
  std::string text = fmt::format(
      "FLOPs and bytes are what the shapes ask for at least, not counted{}; times are {}, the "
      "median of {} {}.",
      note.obstacle ? fmt::format(" ({})", *note.obstacle) : "",
      note.on_device ? "the device's" : "the host's own of each op", note.steps,
      note.steps == 1 ? "step" : "steps");
  if (note.several_levels) text += " Every level has the same bytes: from shapes no more is known.";
  return text;
}

std::vector<std::string> counter_notes(const CountedStep& counted, CacheControl cache,
                                       const JoinedKernels& joined,
                                       const std::vector<RooflinePoint>& by_shapes) {
  std::vector<std::string> notes{fmt::format(
      "FLOPs and bytes are hardware counters, {} kernels in {} passes ({}), {}; times are those of "
      "a step that was not counted.",
      counted.kernels.size(), counted.passes, format_seconds(counted.took), cache_text(cache))};
  for (std::string& note : work_notes(joined, by_shapes)) notes.push_back(std::move(note));
  if (const auto ratio = joined.traffic_ratio())
    notes.push_back(fmt::format("DRAM moved {:.2f} times what the shapes need at least.", *ratio));
  if (joined.without_counters > 0)
    notes.push_back(fmt::format(
        "{} kernels have no whole set of counters (not collected, overflowed, of a pass "
        "that was lost, or of a unit that this chip does not count) and stand as their "
        "shapes say.",
        joined.without_counters));
  if (!counted.unsupported.empty())
    notes.push_back(fmt::format("This chip does not have {}: what they count is missing.",
                                fmt::join(counted.unsupported, ", ")));
  return notes;
}

std::optional<std::string> unmodelled_note(const ShapePoints& points) {
  std::vector<std::string> named;
  Seconds time{};
  for (const UnmodelledOp& op : points.unmodelled) {
    time += op.time;
    if (named.size() < 5) named.push_back(fmt::format("{} ({})", op.name, format_seconds(op.time)));
  }
  if (named.empty() || time < kWorthSaying * points.step) return std::nullopt;
  return fmt::format(
      "No cost model for {}{}: {} of the step is in the table without FLOPs and bytes.",
      fmt::join(named, ", "), points.unmodelled.size() > named.size() ? " and others" : "",
      format_seconds(time));
}

std::optional<std::string> low_peak_note(const std::vector<RooflinePoint>& groups,
                                         const Ceilings& ceilings) {
  for (const RooflinePoint& group : groups) {
    const PointVerdict verdict = judge(group, ceilings);
    if (!verdict.nearest || verdict.share <= kMostCredible) continue;
    const auto* const path = std::get_if<ComputePath>(&verdict.nearest->what);
    if (path == nullptr) continue;
    if (!ceilings.compute_interval[index_of(*path)])
      return fmt::format(
          "{} ran at {:.0f} % of {}, so that the peak that was given is too low, or another "
          "machine's, and utilisations and bounds here say nothing.",
          short_label(group), 100 * verdict.share, verdict.nearest->name());
    return fmt::format(
        "{} ran at {:.0f} % of {}, so that peak is too low, as when it was measured on a busy "
        "machine, and utilisations and bounds here say nothing; `ridgeline roofline peaks "
        "--refresh` measures it again.",
        short_label(group), 100 * verdict.share, verdict.nearest->name());
  }
  return std::nullopt;
}

std::optional<std::string> beyond_peak_note(const StepFacts& step, bool is_measured) {
  const double most = std::max(step.mfu.value_or(0), step.hfu.value_or(0));
  if (most <= kMostCredible) return std::nullopt;
  if (!is_measured)
    return fmt::format(
        "The step ran at {:.0f} % of its peak, so that the peak that was given is too low, or "
        "another machine's, and there is neither MFU nor HFU.",
        100 * most);
  return fmt::format(
      "The step ran at {:.0f} % of its peak, so that peak is too low, as when it was measured on a "
      "busy machine, and there is neither MFU nor HFU; `ridgeline roofline peaks --refresh` "
      "measures it again.",
      100 * most);
}

std::optional<std::string> restless_note(const Ceilings& ceilings) {
  const std::string names = restless_peaks(ceilings);
  if (names.empty()) return std::nullopt;
  return fmt::format(
      "The machine was busy when these peaks were measured: {}. Shares, bounds, utilisations and "
      "what there is to win are no surer than they are.",
      names);
}

std::optional<std::string> watched_note(const std::vector<RooflinePoint>& points, Seconds step) {
  constexpr double kMostApart = 0.2;
  Seconds watched{};
  for (const RooflinePoint& point : points) watched += point.time;
  if (!(step.count() > 0) || std::abs(watched / step - 1) <= kMostApart) return std::nullopt;
  return fmt::format(
      "The recorded ops took {}, a whole step that nobody watched {}: other work on the machine, "
      "or "
      "the recorder itself, stands in these times, so that rates and shares of ceilings here are "
      "off by that much; MFU and HFU are of the step that nobody watched. More --steps help.",
      format_seconds(watched), format_seconds(step));
}

std::string busy_note(const ShapePoints& points, Seconds step) {
  Seconds busy{};
  for (const RooflinePoint& point : points.points) busy += point.time;
  return fmt::format("The device worked {} of a step; one takes {}.", format_seconds(busy),
                     format_seconds(step));
}

}  // namespace ridgeline
