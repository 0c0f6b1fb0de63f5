#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/format.h"
#include "roofline/verdict.h"

namespace ridgeline {

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
  std::array<Seconds, kUnreachedCauses> times{};
  for (const RooflinePoint& point : points) {
    total += point.time;
    const PointVerdict verdict = judge(point, ceilings);
    if (verdict.nearest && !verdict.binding && !verdict.without_peak)
      times[static_cast<std::size_t>(verdict.cause)] += point.time;
  }
  const auto time_of = [&](Unreached cause) { return times[static_cast<std::size_t>(cause)]; };
  if (!((time_of(Unreached::Launch) + time_of(Unreached::Occupancy)).count() > 0))
    return std::nullopt;
  Seconds unreached{};
  std::vector<std::pair<Seconds, std::string_view>> causes;
  for (std::size_t i = 0; i < times.size(); ++i) {
    unreached += times[i];
    if (times[i].count() > 0) causes.emplace_back(times[i], name_of(static_cast<Unreached>(i)));
  }
  std::ranges::stable_sort(causes, std::greater{}, &std::pair<Seconds, std::string_view>::first);
  std::vector<std::string> parts;
  for (const auto& [time, name] : causes)
    parts.push_back(fmt::format("{} {:.0f} %", name, 100 * (time / total)));
  return fmt::format("No ceiling was reached in {:.0f} % of the time: {}.",
                     100 * (unreached / total), fmt::join(parts, ", "));
}

std::optional<std::string> without_peak_sentence(const std::vector<RooflinePoint>& points,
                                                 const Ceilings& ceilings) {
  if (points.empty()) return std::nullopt;
  const RooflinePoint total = total_of(points, "");
  const Flop unheld = flop_without_peak(total, ceilings);
  if (!(unheld.count > 0)) return std::nullopt;
  constexpr double kWorthNaming = 0.01;
  std::vector<std::string_view> formats;
  for (const ComputePath path : all_compute_paths()) {
    const bool known = ceilings.of(path) && ceilings.of(path)->value > 0;
    if (!known && total.flop[index_of(path)].count > kWorthNaming * unheld.count)
      formats.push_back(name_of(path));
  }
  return fmt::format(
      "No {} peak is known ({}: {}): {:.4g} GFLOP ({:.0f} %) stand under no ceiling, so that there "
      "is no HFU and less to win than is told.",
      fmt::join(formats, ", "), ceilings.machine, ceilings.source, unheld.count / 1e9,
      100 * unheld.count / total.total_flop().count);
}

}  // namespace ridgeline
