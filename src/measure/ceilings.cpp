#include "measure/ceilings.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <ranges>

#include <fmt/format.h>

#include "core/cpu.h"
#include "core/error.h"
#include "measure/known_peaks.h"
#include "measure/probes.h"

namespace ridgeline {
namespace {

std::string driver_of(const Device& device) {
  if (device.kind != DeviceKind::Cuda) return {};
  std::string why_not;
  const auto nvml = Nvml::load(&why_not);
  const auto gpus = nvml ? nvml->gpus() : std::vector<GpuFacts>{};
  return gpus.empty() ? "unknown" : gpus.front().driver;
}

PeakKey machine_key(const Engine& engine, const RunSettings& settings) {
  PeakKey key{.machine = engine.backend(settings.device).facts(settings.device.index).name,
              .torch = engine.torch_version(),
              .driver = driver_of(settings.device)};
  if (settings.device.kind == DeviceKind::Cuda) return key;
  key.threads = settings.threads;
  key.cores = static_cast<int>(cores_apart().size());
  return key;
}

std::optional<GpuState> gpu_state(const Device& device) {
  if (device.kind != DeviceKind::Cuda) return std::nullopt;
  std::string why_not;
  const auto nvml = Nvml::load(&why_not);
  return nvml ? nvml->state(device.index) : std::nullopt;
}

// Of all our threads together.
Seconds cpu_time() {
  timespec time{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return {};
  return Seconds{static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec)};
}

PeakRoundsResult measure(const Engine& engine, const RunSettings& settings,
                         std::vector<PeakProbe> probes, const PeakRoundsHooks& hooks) {
  Backend& backend = engine.backend(settings.device);
  PeakRoundsHooks watched = hooks;
  if (settings.device.kind == DeviceKind::Cpu) watched.cpu_time = cpu_time;
  const auto scope = backend.enter(settings.device.index);
  backend.release_cached_memory();
  PeakRoundsResult result = measure_in_rounds(probes, rounds_for(settings.device.kind), watched);
  probes.clear();
  backend.release_cached_memory();
  return result;
}

// FMA of one thread, which no product falls far below.
bool is_yardstick(const MeasuredPeak& peak) {
  return peak.path == ComputePath::Fp32 && peak.threads == 1 && !is_product(peak);
}

// A product that is measured alone has the widest vectors' FMA measured beside it.
void add_yardstick(std::vector<PeakProbe>& missing, const std::vector<PeakProbe>& all,
                   const std::vector<MeasuredPeak>& known) {
  const bool has_product = std::ranges::any_of(missing, is_product, &PeakProbe::what);
  if (!has_product || std::ranges::any_of(missing, is_yardstick, &PeakProbe::what) ||
      std::ranges::any_of(known, is_yardstick))
    return;
  const auto from_end = std::views::reverse(all);
  const auto widest = std::ranges::find_if(from_end, is_yardstick, &PeakProbe::what);
  if (widest != from_end.end()) missing.push_back(*widest);
}

void mark_too_low(std::vector<MeasuredPeak>& measured, std::vector<MeasuredPeak> known) {
  known.insert(known.end(), measured.begin(), measured.end());
  for (MeasuredPeak& peak : measured)
    peak.too_low = is_product(peak) && !is_emulated(peak.name) && is_too_low(peak, known);
}

void note_disturbed(PeakReport& report) {
  const auto restless = std::ranges::count_if(report.peaks, std::not_fn(is_steady));
  if (restless == 0) return;
  report.notes.push_back(
      fmt::format("the machine was busy: {} of {} peaks have an interval wider than {:.0f} %, "
                  "shared their cores, or are products far below the FMA of one thread; these are "
                  "shown and not kept",
                  restless, report.peaks.size(), 100 * kWidestSpread));
}

void note_throttling(PeakReport& report) {
  if (!report.gpu_after || report.gpu_after->throttle_reasons.empty()) return;
  report.notes.push_back(fmt::format("the GPU held its clocks back while it was measured: {}",
                                     fmt::join(report.gpu_after->throttle_reasons, ", ")));
}

struct PeakRequest {
  std::function<bool(const MeasuredPeak&)> wanted = [](const MeasuredPeak&) { return true; };
  ProbeOptions probes{};
  Refresh refresh = Refresh::No;
  bool all = false;  // nothing of what the device has is left out
};

// A cache that cannot be written costs time, not the number.
void keep(const KnownPeaks& known, const PeakRequest& request,
          const std::vector<MeasuredPeak>& measured, PeakReport& report) try {
  if (request.all) {
    known.keep_all(measured, report.peaks);
  } else {
    known.keep(measured);
  }
} catch (const Error& error) {
  report.notes.push_back(fmt::format("the peaks could not be kept: {}", error.what()));
}

// What is not known is measured; `settings` with real threads.
PeakReport known_or_measured(const Engine& engine, const RunSettings& settings,
                             const PeakRequest& request, const PeakRoundsHooks& hooks) {
  PeakReport report{.machine = machine_key(engine, settings)};
  const KnownPeaks known(report.machine);
  const std::vector<PeakProbe> all = device_probes(engine, settings, request.probes);
  std::vector<PeakProbe> missing;
  std::vector<MeasuredPeak> beside;  // known, whether wanted or not
  for (const PeakProbe& probe : all) {
    auto peak = request.refresh == Refresh::No ? known.find(probe.what) : std::nullopt;
    if (peak) beside.push_back(*peak);
    if (!request.wanted(probe.what)) continue;
    if (peak) {
      report.peaks.push_back(std::move(*peak));
    } else {
      missing.push_back(probe);
    }
  }
  if (missing.empty()) {
    note_disturbed(report);
    return report;
  }
  add_yardstick(missing, all, beside);
  report.gpu_before = gpu_state(settings.device);
  PeakRoundsResult result = measure(engine, settings, std::move(missing), hooks);
  report.gpu_after = gpu_state(settings.device);
  if (settings.device.kind == DeviceKind::Cpu) report.cpu_clock_mhz = read_cpu_facts().clock_mhz;
  report.notes = std::move(result.notes);
  report.interrupted = result.interrupted;
  if (result.interrupted) return report;
  mark_too_low(result.peaks, beside);
  report.measured_now = result.peaks.size();
  report.peaks.insert(report.peaks.end(), result.peaks.begin(), result.peaks.end());
  note_disturbed(report);
  note_throttling(report);
  keep(known, request, result.peaks, report);
  return report;
}

}  // namespace

PeakReport measured_peaks(const Engine& engine, const RunSettings& settings, Refresh refresh,
                          const PeakRoundsHooks& hooks) {
  const RunSettings here = with_real_threads(engine, settings);
  if (refresh == Refresh::No) {
    PeakReport report{.machine = machine_key(engine, here)};
    if (auto all = KnownPeaks(report.machine).find_all()) {
      report.peaks = std::move(*all);
      return report;
    }
  }
  return known_or_measured(engine, here, {.refresh = refresh, .all = true}, hooks);
}

std::optional<MeasuredPeak> measured_peak(const Engine& engine, const RunSettings& settings,
                                          const std::string& name) {
  const RunSettings here = with_real_threads(engine, settings);
  const bool on_host = here.device.kind == DeviceKind::Cpu;
  const auto wanted = [&](const MeasuredPeak& what) {
    return what.name == name && (!on_host || what.threads == here.threads);
  };
  const PeakReport report =
      known_or_measured(engine, here, {.wanted = wanted, .probes = {.emulated = true}}, {});
  const auto found = std::ranges::find_if(report.peaks, wanted);
  return found != report.peaks.end() ? std::optional(*found) : std::nullopt;
}

PeakReport measured_roofs(const Engine& engine, const RunSettings& settings, const RoofWish& wish) {
  const RunSettings here = with_real_threads(engine, settings);
  const bool on_host = here.device.kind == DeviceKind::Cpu;
  const auto wanted = [&](const MeasuredPeak& what) {
    if (on_host && what.threads != here.threads) return false;
    if (what.level) return std::ranges::find(wish.levels, *what.level) != wish.levels.end();
    if (!is_product(what)) return what.path.has_value() && what.path != ComputePath::Fp64;
    return std::ranges::any_of(
        wish.products, [&](Precision precision) { return peak_dtype(precision) == what.name; });
  };
  return known_or_measured(engine, here, {.wanted = wanted, .probes = {.emulated = true}}, {});
}

Ceilings ceilings_of(const PeakReport& report) {
  return ceilings_of_peaks(report.peaks, report.machine.machine, report.machine.threads);
}

}  // namespace ridgeline
