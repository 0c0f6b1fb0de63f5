#include "measure/peaks.h"

#include <algorithm>

#include <fmt/format.h>

#include "measure/ceilings.h"

namespace ridgeline {
namespace {

// A CPU has no TF32 and computes it in fp32.
Precision computed_in(const RunSettings& settings) {
  const bool none = settings.device.kind == DeviceKind::Cpu;
  return none && settings.precision == Precision::Tf32 ? Precision::Fp32 : settings.precision;
}

std::optional<MeasuredPeak> measured_compute(const Engine& engine, const RunSettings& settings) {
  const Precision computed = computed_in(settings);
  if (settings.device.kind == DeviceKind::Cuda)
    return measured_peak(engine, settings, std::string(peak_dtype(computed)));
  return peak_for(measured_roofs(engine, settings, {.products = {computed}}).peaks, settings);
}

template <class Rate, class Measure>
FoundPeak<Rate> fit_peak(std::string_view name, Measure&& measure) {
  FoundPeak<Rate> absent{.why_absent = fmt::format("the {} peak could not be measured", name)};
  try {
    const std::optional<MeasuredPeak> peak = measure();
    if (!peak) return absent;
    std::string why = why_unfit(*peak);
    if (!why.empty()) return {.why_absent = std::move(why)};
    return {.rate = Rate{peak->per_second}};
  } catch (const std::exception&) {
    return absent;  // torch's own errors too: a row without MFU is still a row
  }
}

}  // namespace

std::optional<MeasuredPeak> peak_for(std::span<const MeasuredPeak> peaks,
                                     const RunSettings& settings) {
  const std::string_view product = peak_dtype(computed_in(settings));
  if (settings.device.kind == DeviceKind::Cpu) return best_like(peaks, product);
  const auto own = std::ranges::find(peaks, product, &MeasuredPeak::name);
  return own != peaks.end() ? std::optional(*own) : std::nullopt;
}

std::optional<MeasuredPeak> best_like(std::span<const MeasuredPeak> peaks,
                                      std::string_view product) {
  const auto own = std::ranges::find(peaks, product, &MeasuredPeak::name);
  if (own == peaks.end()) return std::nullopt;
  MeasuredPeak best = *own;
  for (const MeasuredPeak& peak : peaks) {
    if (peak.path == own->path && peak.threads == own->threads && peak.per_second > best.per_second)
      best = peak;
  }
  return best;
}

std::string why_unfit(const MeasuredPeak& peak) {
  if (is_steady(peak)) return {};
  if (peak.too_low) return fmt::format("the {} peak is far below the FMA of one thread", peak.name);
  if (peak.shared)
    return fmt::format("the threads of the {} peak had to share their cores", peak.name);
  const auto spread = spread_of(peak);
  if (!spread) return fmt::format("the {} peak has no interval", peak.name);
  return fmt::format("the interval of the {} peak is {:.0f} % wide", peak.name, 100 * *spread);
}

FoundPeak<FlopPerSecond> compute_peak(const Engine& engine, const RunSettings& settings) {
  return fit_peak<FlopPerSecond>(peak_dtype(settings.precision),
                                 [&] { return measured_compute(engine, settings); });
}

FoundPeak<BytesPerSecond> copy_peak(const Engine& engine, const RunSettings& settings) {
  return fit_peak<BytesPerSecond>("copy", [&] { return measured_peak(engine, settings, "copy"); });
}

}  // namespace ridgeline
