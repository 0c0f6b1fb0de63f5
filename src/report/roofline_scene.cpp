#include "report/roofline_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/display.h"
#include "core/error.h"
#include "core/format.h"
#include "report/roofline_arrows.h"
#include "report/roofline_remarks.h"
#include "report/roofline_tables.h"
#include "report/run_names.h"
#include "roofline/verdict.h"

namespace ridgeline {
namespace {

// More than this is an axis on which nothing can be told apart.
constexpr double kMostDecades = 7;

struct Range {
  double low = HUGE_VAL;
  double high = 0;
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Room on both sides, never more than kMostDecades below the top.
Range widened(Range range, double below, double above) {
  range.high *= above;
  range.low = std::max(range.low / below, range.high / std::pow(10, kMostDecades));
  return range;
}

std::set<ComputePath> used_paths(const std::vector<PointSet>& sets) {
  std::set<ComputePath> used;
  for (const PointSet& set : sets) {
    const RooflinePoint total = total_of(set.points, set.label);
    for (const ComputePath path : all_compute_paths()) {
      // A stray instruction is no reason for a line.
      if (total.flop[index_of(path)].count > 0.001 * total.total_flop().count) used.insert(path);
    }
  }
  if (used.empty()) used.insert(ComputePath::Fp32);
  return used;
}

std::string rate_name(double gflop_per_s) {
  return gflop_per_s >= 1000 ? fmt::format("{:.4g} TFLOP/s", gflop_per_s / 1000)
                             : fmt::format("{:.4g} GFLOP/s", gflop_per_s);
}

std::string bandwidth_name(double gb_per_s) {
  return gb_per_s >= 1000 ? fmt::format("{:.4g} TB/s", gb_per_s / 1000)
                          : fmt::format("{:.4g} GB/s", gb_per_s);
}

// Paths of equal peak share a line.
std::map<double, std::string> compute_peaks(const Ceilings& ceilings,
                                            const std::set<ComputePath>& used) {
  std::map<double, std::string> peaks;
  for (const ComputePath path : used) {
    const auto peak = ceilings.of(path);
    if (!peak || !(peak->value > 0)) continue;
    std::string& names = peaks[peak->value / 1e9];
    names += (names.empty() ? "" : ", ") + std::string(name_of(path));
  }
  return peaks;
}

std::map<double, MemoryLevel> bandwidths(const Ceilings& ceilings) {
  std::map<double, MemoryLevel> all;
  for (const MemoryLevel level : all_memory_levels()) {
    const auto peak = ceilings.of(level);
    if (peak && peak->value > 0) all[peak->value / 1e9] = level;
  }
  return all;
}

RooflineDot dot_of(const RooflinePoint& point, const Ceilings& ceilings, MemoryLevel level) {
  RooflineDot dot{.x = point.intensity(level)->value,
                  .y = point.rate()->value / 1e9,
                  .kind = point.kind,
                  .label = short_label(point)};
  dot.facts = point_facts(point, ceilings);
  return dot;
}

// What has no place is counted, with its share of the time.
void add_dots(RooflineScene& scene, const PointSet& set, std::size_t number,
              const Ceilings& ceilings, MemoryLevel level) {
  Seconds total{};
  for (const RooflinePoint& point : set.points) total += point.time;
  Seconds without_flop{};
  Seconds without_bytes{};
  std::size_t left = 0;
  for (const RooflinePoint& point : set.points) {
    const bool computes = point.total_flop().count > 0;
    if (!computes || !point.intensity(level)) {
      (computes ? without_bytes : without_flop) += point.time;
      ++left;
      continue;
    }
    RooflineDot dot = dot_of(point, ceilings, level);
    dot.set = number;
    dot.place = static_cast<std::size_t>(&point - set.points.data());
    dot.share = point.time / total;
    scene.dots.push_back(std::move(dot));
  }
  if (left == 0) return;
  std::vector<std::string> why;
  if (without_flop.count() > 0)
    why.push_back(fmt::format("without FLOPs, {:.1f} % of the time", 100 * (without_flop / total)));
  if (without_bytes.count() > 0)
    why.push_back(
        fmt::format("without {} bytes, {:.1f} %", name_of(level), 100 * (without_bytes / total)));
  scene.notes.push_back(fmt::format("Not drawn{}: {} of {} points ({})",
                                    scene.sets.size() > 1 ? " of " + scene.sets[number] : "", left,
                                    set.points.size(), fmt::join(why, "; ")));
}

void set_bounds(RooflineScene& scene, const std::map<double, std::string>& peaks,
                const std::map<double, MemoryLevel>& levels) {
  Range x;
  Range y;
  for (const RooflineDot& dot : scene.dots) {
    x.take(dot.x);
    y.take(dot.y);
  }
  if (!peaks.empty() && !levels.empty()) {
    x.take(peaks.rbegin()->first / levels.begin()->first);
    x.take(peaks.begin()->first / levels.rbegin()->first);
  }
  for (const auto& [peak, name] : peaks) y.take(peak);
  // Without a flat roof the one that rises is seen above the dots.
  if (peaks.empty()) y.take(x.high * levels.rbegin()->first);
  x = widened(x, 4, 4);
  y = widened(y, 4, 2.5);
  // A roof that only rises needs to be seen rising.
  if (x.high / x.low < 100) x = {.low = x.low / 3, .high = x.high * 3};
  scene.x_low = x.low;
  scene.x_high = x.high;
  scene.y_low = y.low;
  scene.y_high = y.high;
}

void add_roofs(RooflineScene& scene, const std::map<double, std::string>& peaks,
               const std::map<double, MemoryLevel>& levels) {
  const double top = peaks.empty() ? scene.y_high : peaks.rbegin()->first;
  for (const auto& [bandwidth, level] : levels) {
    const double start = std::max(scene.x_low, scene.y_low / bandwidth);
    const double end = std::min(scene.x_high, top / bandwidth);
    if (start >= end) continue;
    scene.roofs.push_back({.label = fmt::format("{} {}", name_of(level), bandwidth_name(bandwidth)),
                           .is_memory = true,
                           .x0 = start,
                           .y0 = start * bandwidth,
                           .x1 = end,
                           .y1 = end * bandwidth});
  }
  for (const auto& [peak, name] : peaks) {
    const double start = levels.empty() ? scene.x_low : peak / levels.rbegin()->first;
    scene.roofs.push_back({.label = fmt::format("{} {}", name, rate_name(peak)),
                           .is_memory = false,
                           .x0 = std::max(scene.x_low, start),
                           .y0 = peak,
                           .x1 = scene.x_high,
                           .y1 = peak});
  }
}

void add_knees(RooflineScene& scene, const std::map<double, std::string>& peaks,
               const Ceilings& ceilings, MemoryLevel level) {
  const auto bandwidth = ceilings.of(level);
  if (!bandwidth || !(bandwidth->value > 0)) return;
  for (const auto& [peak, name] : peaks) {
    const double x = peak * 1e9 / bandwidth->value;
    const std::string number = x < 1000 ? fmt::format("{:.3g}", x) : fmt::format("{:.0f}", x);
    scene.knees.push_back({.x = x, .y = peak, .label = "knee " + number + " FLOP/byte"});
  }
}

void add_arrows(RooflineScene& scene, const std::vector<PointSet>& sets) {
  scene.arrows = arrows_between(scene, sets);
  // Dots are sorted by their share of the time.
  std::ranges::stable_sort(
      scene.arrows, {}, [](const RooflineArrow& arrow) { return std::min(arrow.from, arrow.to); });
  if (scene.arrows.size() > kMostDrawnArrows)
    scene.notes.push_back(fmt::format("Arrows: {} of {} in a picture, those of the largest dots",
                                      kMostDrawnArrows, scene.arrows.size()));
}

void drop_outsiders(RooflineScene& scene) {
  const auto outside = [&](const RooflineDot& dot) {
    return dot.x < scene.x_low || dot.x > scene.x_high || dot.y < scene.y_low ||
           dot.y > scene.y_high;
  };
  const auto count = std::erase_if(scene.dots, outside);
  if (count > 0)
    scene.notes.push_back(fmt::format("Not drawn: {} {} more than {:.0f} decades below the top",
                                      count, count == 1 ? "point" : "points", kMostDecades));
}

bool is_by_shapes(const PointSet& set) {
  return std::ranges::all_of(set.points, &RooflinePoint::by_shapes);
}

// Where FLOPs and bytes are from, as far as it is known of all runs alike.
std::string origin(const std::vector<PointSet>& sets) {
  if (std::ranges::all_of(sets, is_by_shapes)) return "; FLOPs and bytes from shapes";
  const auto& cache = sets.front().cache;
  const bool alike =
      std::ranges::all_of(sets, [&](const PointSet& set) { return set.cache == cache; });
  return cache && alike ? fmt::format("; counted, cache control {}", name_of(*cache)) : "";
}

// Of runs that differ in that each says it itself.
std::string own_origin(const PointSet& set, const std::vector<PointSet>& sets) {
  if (sets.size() == 1 || !origin(sets).empty()) return "";
  if (is_by_shapes(set)) return " (from shapes)";
  return set.cache ? fmt::format(" (counted, cache control {})", name_of(*set.cache)) : "";
}

// What all runs are stands in the title, what each is alone names it.
void name_runs(RooflineScene& scene, const std::vector<PointSet>& sets) {
  std::vector<std::string> labels;
  for (const PointSet& set : sets) labels.push_back(set.label);
  const RunNames names = names_of_runs(labels);
  for (std::size_t i = 0; i < sets.size(); ++i)
    scene.sets.push_back(names.own[i] + own_origin(sets[i], sets));
  const std::string& subject = sets.size() == 1 ? sets.front().label : names.common;
  scene.title = subject.empty() ? "Roofline" : "Roofline of " + subject;
}

}  // namespace

RooflineScene make_scene(const std::vector<PointSet>& sets, const Ceilings& ceilings,
                         const SceneOptions& options) {
  const auto peaks = compute_peaks(ceilings, used_paths(sets));
  const auto levels = bandwidths(ceilings);
  if (peaks.empty() && levels.empty())
    throw bad_input(
        "no ceiling is known for these points: give --gpu, or --peak-compute and --peak-bw");
  RooflineScene scene{
      .subtitle = fmt::format("{}: {}{}", ceilings.machine, ceilings.source, origin(sets)),
      .x_label = fmt::format("Arithmetic intensity (FLOP per {} byte)", name_of(options.level)),
      .level = options.level};
  name_runs(scene, sets);
  for (std::size_t i = 0; i < sets.size(); ++i)
    add_dots(scene, sets[i], i, ceilings, options.level);
  if (scene.dots.empty())
    throw bad_input(fmt::format("no point has both FLOPs and {} bytes: there is nothing to place{}",
                                name_of(options.level), how_to_collect(sets, options.level)));
  set_bounds(scene, peaks, levels);
  drop_outsiders(scene);
  std::ranges::stable_sort(scene.dots, std::greater{}, &RooflineDot::share);
  add_roofs(scene, peaks, levels);
  add_knees(scene, peaks, ceilings, options.level);
  if (options.compare && sets.size() == 2) add_arrows(scene, sets);
  for (const auto& remark :
       {without_peak_remark(sets, ceilings), above_ceiling_remark(sets, ceilings),
        other_machine_remark(sets, ceilings)})
    if (remark) scene.notes.insert(scene.notes.begin(), *remark);
  return scene;
}

RooflineScene empty_scene(const Ceilings& ceilings) {
  const auto paths = all_compute_paths();
  const auto peaks = compute_peaks(ceilings, std::set<ComputePath>(paths.begin(), paths.end()));
  const auto levels = bandwidths(ceilings);
  if (peaks.empty() || levels.empty())
    throw bad_input("a roof needs a peak of compute and one of bandwidth");
  RooflineScene scene{.title = "Roofline of " + ceilings.machine,
                      .subtitle = ceilings.source,
                      .x_label = "Arithmetic intensity (FLOP per byte)"};
  set_bounds(scene, peaks, levels);
  scene.y_low = std::min(scene.y_low, scene.x_low * levels.rbegin()->first);
  add_roofs(scene, peaks, levels);
  add_knees(scene, peaks, ceilings, MemoryLevel::Dram);
  return scene;
}

}  // namespace ridgeline
