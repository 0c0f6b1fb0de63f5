#include "roofline/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/format.h"

namespace ridgeline {
namespace {

// Below this a launch itself (2 to 5 µs) is as long as the work.
constexpr Seconds kShortCall{5e-6};
constexpr std::array<std::string_view, 3> kCauseNames{"launch", "occupancy", "latency"};
constexpr double kLowOccupancy = 40;  // percent

// Least time of each path group: vector units and matrix units run side by side, formats of one
// unit take turns. A path without a known peak adds nothing: the least time stays a lower bound.
struct ComputeTime {
  ComputePath path{};  // that takes most of it
  Seconds time{};
};

std::optional<ComputeTime> compute_time(const RooflinePoint& point, const Ceilings& ceilings,
                                        bool tensor) {
  ComputeTime result;
  Seconds longest{-1};
  for (const ComputePath path : all_compute_paths()) {
    const Flop work = point.flop[index_of(path)];
    if (is_tensor(path) != tensor || !(work.count > 0)) continue;
    const auto peak = ceilings.of(path);
    if (!peak || !(peak->value > 0)) continue;
    const Seconds part{work.count / peak->value};
    result.time += part;
    if (part > longest) {
      longest = part;
      result.path = path;
    }
  }
  return longest.count() >= 0 ? std::optional(result) : std::nullopt;
}

std::vector<Ceiling> ceilings_over(const RooflinePoint& point, const Ceilings& ceilings) {
  std::vector<Ceiling> all;
  for (const bool tensor : {false, true}) {
    if (const auto time = compute_time(point, ceilings, tensor))
      all.push_back({.what = time->path, .least_time = time->time});
  }
  for (const MemoryLevel level : all_memory_levels()) {
    const auto moved = point.of(level);
    const auto peak = ceilings.of(level);
    if (!moved || !(moved->count > 0) || !peak || !(peak->value > 0)) continue;
    all.push_back({.what = level, .least_time = Seconds{moved->count / peak->value}});
  }
  return all;
}

Seconds call_time(const RooflinePoint& point) {
  return point.time / static_cast<double>(std::max<std::uint64_t>(1, point.calls));
}

// Of a host's ops nothing says how they fill it, and nothing is launched.
Unreached cause_of(const RooflinePoint& point) {
  const bool on_device =
      !point.by_shapes || point.waves || point.occupancy_percent || point.sm_percent;
  if (on_device && call_time(point) < kShortCall) return Unreached::Launch;
  const bool few_blocks = point.waves && *point.waves < 1;
  const bool few_warps = point.occupancy_percent && *point.occupancy_percent < kLowOccupancy;
  return few_blocks || few_warps ? Unreached::Occupancy : Unreached::Latency;
}

// The signs of why no ceiling was reached, most telling first.
std::string latency_evidence(const RooflinePoint& point, const PointVerdict& verdict) {
  std::vector<std::string> signs;
  const Seconds each = call_time(point);
  if (each < kShortCall) signs.push_back(fmt::format("{} a call", format_seconds(each)));
  if (point.waves && *point.waves < 1)
    signs.push_back(
        fmt::format("{:.2f} waves of blocks: too few to fill the multiprocessors", *point.waves));
  if (point.occupancy_percent && *point.occupancy_percent < kLowOccupancy)
    signs.push_back(fmt::format("{:.0f} % occupancy", *point.occupancy_percent));
  if (point.sm_percent && *point.sm_percent >= 100 * kBindingShare) {
    signs.push_back(
        fmt::format("its multiprocessors are {:.0f} % busy, with instructions that are no FLOPs",
                    *point.sm_percent));
  } else if (point.dram_percent && *point.dram_percent >= 100 * kBindingShare) {
    signs.push_back(fmt::format("DRAM is {:.0f} % busy by its own count", *point.dram_percent));
  } else if (point.sm_percent && point.dram_percent) {
    signs.push_back(fmt::format("multiprocessors {:.0f} % and DRAM {:.0f} % busy",
                                *point.sm_percent, *point.dram_percent));
  }
  signs.push_back(fmt::format("{:.0f} % of {}", 100 * verdict.share, verdict.nearest->name()));
  return fmt::format("{}", fmt::join(signs, "; "));
}

}  // namespace

std::string Ceiling::name() const {
  if (const auto* const level = std::get_if<MemoryLevel>(&what))
    return std::string(name_of(*level));
  return std::string(name_of(std::get<ComputePath>(what))) + " compute";
}

std::string PointVerdict::bound() const {
  if (overhead) return "overhead";
  if (!nearest) return "unknown";
  if (binding) return nearest->name();
  return std::string(kCauseNames[static_cast<std::size_t>(cause)]);
}

namespace {

std::optional<Ceiling> nearest_ceiling(const RooflinePoint& point, const Ceilings& ceilings) {
  const auto over = ceilings_over(point, ceilings);
  if (over.empty() || !(point.time.count() > 0)) return std::nullopt;
  return *std::ranges::max_element(over, {}, &Ceiling::least_time);
}

// Without the words that a verdict has: asked of a hundred thousand launches.
Seconds won_alone(const RooflinePoint& point, const Ceilings& ceilings) {
  if (point.is_overhead()) return point.time;
  const auto nearest = nearest_ceiling(point, ceilings);
  return nearest ? std::max(Seconds{0}, point.time - nearest->least_time) : Seconds{0};
}

PointVerdict judged_alone(const RooflinePoint& point, const Ceilings& ceilings) {
  PointVerdict verdict;
  verdict.hfu = hardware_flop_utilisation(point, ceilings);
  if (point.is_overhead()) {
    verdict.overhead = true;
    verdict.won = point.time;
    verdict.evidence = "no work, only time: views, allocations, dispatch, launches";
    return verdict;
  }
  verdict.nearest = nearest_ceiling(point, ceilings);
  if (!verdict.nearest) return verdict;
  verdict.share = verdict.nearest->least_time / point.time;
  verdict.binding = verdict.share >= kBindingShare;
  verdict.won = std::max(Seconds{0}, point.time - verdict.nearest->least_time);
  if (!verdict.binding) {
    verdict.cause = cause_of(point);
    verdict.evidence = latency_evidence(point, verdict);
  }
  const bool in_memory = std::holds_alternative<MemoryLevel>(verdict.nearest->what);
  const bool by_shapes = point.by_shapes || point.partly_by_shapes;
  if (verdict.share > kMostCredible && by_shapes && in_memory) {
    verdict.evidence =
        fmt::format("{:.0f} % of {}: {}operands were still in a cache", 100 * verdict.share,
                    verdict.nearest->name(), point.by_shapes ? "its " : "where it is by shapes ");
  } else if (verdict.share > kMostCredible) {
    verdict.evidence = fmt::format(
        "{:.0f} % of {}: above its ceiling, so the peak is of another machine or clock, or a "
        "counter is wrong",
        100 * verdict.share, verdict.nearest->name());
  }
  return verdict;
}

}  // namespace

PointVerdict judge(const RooflinePoint& point, const Ceilings& ceilings) {
  PointVerdict verdict = judged_alone(point, ceilings);
  if (point.won) verdict.won = *point.won;
  return verdict;
}

std::vector<RooflinePoint> judged_groups(const std::vector<RooflinePoint>& points,
                                         PointGrouping grouping, const Ceilings& ceilings) {
  if (ceilings.empty()) return grouped(points, grouping);
  return grouped(points, grouping,
                 [&](const RooflinePoint& point) { return won_alone(point, ceilings); });
}

StepVerdict judge_step(const std::vector<RooflinePoint>& points, const Ceilings& ceilings) {
  StepVerdict step;
  std::map<std::string, Seconds> won;
  for (const RooflinePoint& point : points) {
    const PointVerdict verdict = judge(point, ceilings);
    step.time += point.time;
    step.least += point.time - verdict.won;
    if (!verdict.nearest && !verdict.overhead) step.unexplained += point.time;
    if (verdict.won.count() > 0)
      won[verdict.overhead ? "overhead" : std::string(name_of(point.kind))] += verdict.won;
  }
  const Seconds gap = step.time - step.least;
  for (const auto& [kind, time] : won)
    step.gap.push_back({.kind = kind, .won = time, .share_of_gap = time / gap});
  std::ranges::stable_sort(step.gap, std::greater{}, &StepVerdict::Part::won);
  return step;
}

std::string step_sentence(const StepVerdict& verdict, const Ceilings& ceilings) {
  constexpr std::size_t kMostNamed = 3;
  std::string text =
      fmt::format("This took {} and could take {} at best on {} ({})", format_seconds(verdict.time),
                  format_seconds(verdict.least), ceilings.machine, ceilings.source);
  for (std::size_t i = 0; i < std::min(kMostNamed, verdict.gap.size()); ++i) {
    const auto& part = verdict.gap[i];
    text += fmt::format("{}{:.0f} %{} {} ({})", i == 0 ? "; " : ", ", 100 * part.share_of_gap,
                        i == 0 ? " of the gap is" : "", part.kind, format_seconds(part.won));
  }
  text += ".";
  if (verdict.unexplained.count() > 0)
    text += fmt::format(" {} of it did nothing that was counted and stays as it is.",
                        format_seconds(verdict.unexplained));
  return text;
}

std::optional<std::string> cause_sentence(const std::vector<RooflinePoint>& points,
                                          const Ceilings& ceilings) {
  Seconds total{};
  std::array<Seconds, kCauseNames.size()> times{};
  for (const RooflinePoint& point : points) {
    total += point.time;
    const PointVerdict verdict = judge(point, ceilings);
    if (verdict.nearest && !verdict.binding)
      times[static_cast<std::size_t>(verdict.cause)] += point.time;
  }
  const auto time_of = [&](Unreached cause) { return times[static_cast<std::size_t>(cause)]; };
  if (!((time_of(Unreached::Launch) + time_of(Unreached::Occupancy)).count() > 0))
    return std::nullopt;
  Seconds unreached{};
  std::vector<std::pair<Seconds, std::string_view>> causes;
  for (std::size_t i = 0; i < times.size(); ++i) {
    unreached += times[i];
    if (times[i].count() > 0) causes.emplace_back(times[i], kCauseNames[i]);
  }
  std::ranges::stable_sort(causes, std::greater{}, &std::pair<Seconds, std::string_view>::first);
  std::vector<std::string> parts;
  for (const auto& [time, name] : causes)
    parts.push_back(fmt::format("{} {:.0f} %", name, 100 * (time / total)));
  return fmt::format("No ceiling was reached in {:.0f} % of the time: {}.",
                     100 * (unreached / total), fmt::join(parts, ", "));
}

std::optional<double> model_flop_utilisation(Flop needed, Seconds time, FlopPerSecond peak) {
  if (!(time.count() > 0) || !(peak.value > 0)) return std::nullopt;
  return needed.count / time.count() / peak.value;
}

std::optional<double> hardware_flop_utilisation(const RooflinePoint& point,
                                                const Ceilings& ceilings) {
  // A stray conversion on a unit whose peak nobody measured does not hide the rest.
  constexpr double kNegligible = 0.01;
  if (!(point.time.count() > 0) || !(point.total_flop().count > 0)) return std::nullopt;
  Seconds least{0};
  for (const ComputePath path : all_compute_paths()) {
    const Flop work = point.flop[index_of(path)];
    if (!(work.count > 0)) continue;
    const auto peak = ceilings.of(path);
    if (!peak || !(peak->value > 0)) {
      if (work.count > kNegligible * point.total_flop().count) return std::nullopt;
      continue;
    }
    least += Seconds{work.count / peak->value};
  }
  return least / point.time;
}

}  // namespace ridgeline
