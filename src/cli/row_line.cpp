#include "cli/row_line.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/format.h"

namespace ridgeline {
namespace {

using nlohmann::json;

std::string phase_text(const json& phases, const char* phase) {
  const json& times = phases.at(phase);
  const Seconds median{times.at("median_s").get<double>()};
  if (!times.contains("median_low_s")) return fmt::format("{} {}", phase, format_seconds(median));
  const double half =
      (times.at("median_high_s").get<double>() - times.at("median_low_s").get<double>()) / 2;
  return fmt::format("{} {} ±{:.1f}%", phase, format_seconds(median), 100 * half / median.count());
}

}  // namespace

std::string row_line(const json& row, const std::string& description) {
  if (row.at("outcome") != "measured") {
    return fmt::format("  {}: {}: {}", description, row.at("outcome").get<std::string>(),
                       row.at("reason").get<std::string>());
  }
  const json& phases = row.at("phases");
  std::string text;
  for (const char* phase : {"forward", "backward", "optimizer", "total"}) {
    if (phases.contains(phase)) text += (text.empty() ? "" : ", ") + phase_text(phases, phase);
  }
  std::string line =
      fmt::format("  {}: {} (n={})", description, text, phases.at("total").at("count").get<int>());
  if (row.contains("adjusted"))
    line += fmt::format("\n    fitted: {}", row.at("adjusted").get<std::string>());
  for (const json& warning : row.at("warnings"))
    line += fmt::format("\n    warning: {}", warning.get<std::string>());
  return line;
}

}  // namespace ridgeline
