#include "measure/peaks.h"

#include "measure/ceilings.h"

namespace ridgeline {
namespace {

std::optional<double> find_or_measure(const Engine& engine, const RunSettings& settings,
                                      const std::string& name) try {
  const auto peak = measured_peak(engine, settings, name);
  return peak && !peak->too_low ? std::optional(peak->per_second) : std::nullopt;
} catch (const std::exception&) {
  return std::nullopt;  // torch's own errors too: a row without MFU is still a row
}

}  // namespace

std::optional<FlopPerSecond> matmul_peak(const Engine& engine, const RunSettings& settings) {
  const auto rate = find_or_measure(engine, settings, std::string(peak_dtype(settings.precision)));
  return rate ? std::optional(FlopPerSecond{*rate}) : std::nullopt;
}

std::optional<BytesPerSecond> copy_peak(const Engine& engine, const RunSettings& settings) {
  const auto rate = find_or_measure(engine, settings, "copy");
  return rate ? std::optional(BytesPerSecond{*rate}) : std::nullopt;
}

}  // namespace ridgeline
