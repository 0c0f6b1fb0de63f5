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
constexpr double kLowOccupancy = 40;  // percent
constexpr double kMostly = 0.5;       // of a point's FLOPs

bool has_peak(std::optional<FlopPerSecond> peak) { return peak && peak->value > 0; }

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
    if (!has_peak(peak)) continue;
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

std::string_view name_of(Unreached cause) {
  constexpr std::array<std::string_view, kUnreachedCauses> kNames{"launch", "occupancy", "latency"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string Ceiling::name() const {
  if (const auto* const level = std::get_if<MemoryLevel>(&what))
    return std::string(name_of(*level));
  return std::string(name_of(std::get<ComputePath>(what))) + " compute";
}

std::string PointVerdict::bound() const {
  if (overhead) return "overhead";
  if (!nearest) return "unknown";
  if (binding) return nearest->name();
  return std::string(without_peak ? "unknown" : name_of(cause));
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
  const Flop unheld = flop_without_peak(point, ceilings);
  verdict.without_peak = unheld.count > kMostly * point.total_flop().count;
  if (!verdict.binding && verdict.without_peak) {
    verdict.evidence = fmt::format("no peak is known for {:.0f} % of its FLOPs; {:.0f} % of {}",
                                   100 * unheld.count / point.total_flop().count,
                                   100 * verdict.share, verdict.nearest->name());
  } else if (!verdict.binding) {
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

Flop flop_without_peak(const RooflinePoint& point, const Ceilings& ceilings) {
  // A stray conversion on a unit whose peak nobody measured does not hide the rest.
  constexpr double kNegligible = 0.01;
  Flop sum{};
  for (const ComputePath path : all_compute_paths())
    if (!has_peak(ceilings.of(path))) sum = sum + point.flop[index_of(path)];
  return sum.count > kNegligible * point.total_flop().count ? sum : Flop{};
}

std::optional<double> model_flop_utilisation(Flop needed, Seconds time, FlopPerSecond peak) {
  if (!(time.count() > 0) || !(peak.value > 0)) return std::nullopt;
  return needed.count / time.count() / peak.value;
}

std::optional<double> hardware_flop_utilisation(const RooflinePoint& point,
                                                const Ceilings& ceilings) {
  if (!(point.time.count() > 0) || !(point.total_flop().count > 0)) return std::nullopt;
  if (flop_without_peak(point, ceilings).count > 0) return std::nullopt;
  Seconds least{0};
  for (const ComputePath path : all_compute_paths()) {
    const auto peak = ceilings.of(path);
    if (has_peak(peak)) least += Seconds{point.flop[index_of(path)].count / peak->value};
  }
  return least / point.time;
}

}  // namespace ridgeline
