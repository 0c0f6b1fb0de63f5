#include "measure/ceilings.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "core/cpu.h"
#include "core/error.h"
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
  const bool on_gpu = settings.device.kind == DeviceKind::Cuda;
  return {.machine = engine.backend(settings.device).facts(settings.device.index).name,
          .threads = on_gpu ? 0 : settings.threads,
          .torch = engine.torch_version(),
          .driver = driver_of(settings.device)};
}

std::optional<PeakCache> open_cache() {
  const auto file = default_peak_file();
  return file ? std::optional(PeakCache(*file)) : std::nullopt;
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

PeakKey key_of(PeakKey machine, const PeakProbe& probe) {
  machine.dtype = probe.what.name;
  machine.threads = probe.what.threads;
  return machine;
}

// Numbers of old have no interval: nobody knows how busy the machine was.
std::optional<MeasuredPeak> known_peak(const std::optional<PeakCache>& cache, const PeakKey& key) {
  auto known = cache ? cache->find(key) : std::nullopt;
  return known && is_steady(*known) ? known : std::nullopt;
}

// A cache that cannot be written costs time, not the number.
void remember(const PeakCache& cache, PeakReport& report, bool complete) {
  std::vector<MeasuredPeak> steady;
  for (const MeasuredPeak& peak : report.peaks) {
    if (is_steady(peak)) steady.push_back(peak);
  }
  try {
    if (complete && steady.size() == report.peaks.size()) {
      cache.store_set(report.machine, steady);
    } else {
      cache.store(report.machine, steady);
    }
  } catch (const Error& error) {
    report.notes.push_back(fmt::format("the peaks could not be kept: {}", error.what()));
  }
}

void note_disturbed(PeakReport& report) {
  const auto wide = std::ranges::count_if(
      report.peaks, [](const MeasuredPeak& peak) { return !is_steady(peak); });
  if (wide == 0) return;
  report.notes.push_back(
      fmt::format("the machine was busy: {} of {} peaks have an interval wider than {:.0f} % or "
                  "shared their cores; these are shown and not kept",
                  wide, report.peaks.size(), 100 * kWidestSpread));
}

void note_throttling(PeakReport& report) {
  if (!report.gpu_after || report.gpu_after->throttle_reasons.empty()) return;
  report.notes.push_back(fmt::format("the GPU held its clocks back while it was measured: {}",
                                     fmt::join(report.gpu_after->throttle_reasons, ", ")));
}

}  // namespace

PeakReport measured_peaks(const Engine& engine, const RunSettings& settings, Refresh refresh,
                          const PeakRoundsHooks& hooks) {
  PeakReport report{.machine = machine_key(engine, settings)};
  const auto cache = open_cache();
  if (cache && refresh == Refresh::No) {
    if (auto known = cache->find_set(report.machine)) {
      report.peaks = std::move(*known);
      return report;
    }
  }
  std::vector<PeakProbe> missing;
  for (PeakProbe& probe : device_probes(engine, settings, {})) {
    const auto known =
        refresh == Refresh::No ? known_peak(cache, key_of(report.machine, probe)) : std::nullopt;
    if (known) {
      report.peaks.push_back(*known);
    } else {
      missing.push_back(std::move(probe));
    }
  }
  report.gpu_before = gpu_state(settings.device);
  PeakRoundsResult result = measure(engine, settings, std::move(missing), hooks);
  report.gpu_after = gpu_state(settings.device);
  if (settings.device.kind == DeviceKind::Cpu) report.cpu_clock_mhz = read_cpu_facts().clock_mhz;
  report.notes = std::move(result.notes);
  report.interrupted = result.interrupted;
  if (result.interrupted) return report;
  report.measured_now = result.peaks.size();
  report.peaks.insert(report.peaks.end(), result.peaks.begin(), result.peaks.end());
  note_disturbed(report);
  note_throttling(report);
  if (cache && !report.peaks.empty()) remember(*cache, report, /*complete=*/true);
  return report;
}

std::optional<MeasuredPeak> measured_peak(const Engine& engine, const RunSettings& settings,
                                          const std::string& name) {
  const PeakKey machine = machine_key(engine, settings);
  const auto cache = open_cache();
  const bool is_product = name == peak_dtype(settings.precision);
  for (PeakProbe& probe : device_probes(engine, settings, {.emulated = true})) {
    const bool on_host = settings.device.kind == DeviceKind::Cpu;
    const int threads = is_product ? settings.threads : probe_threads(settings);
    if (probe.what.name != name || (on_host && probe.what.threads != threads)) continue;
    const PeakKey key = key_of(machine, probe);
    if (auto known = known_peak(cache, key)) return known;
    // One that was too restless to be kept still serves all rows of this run.
    static std::map<std::string, MeasuredPeak> of_this_run;
    if (const auto found = of_this_run.find(key.text()); found != of_this_run.end())
      return found->second;
    PeakReport report{.machine = machine};
    report.peaks = measure(engine, settings, {std::move(probe)}, {}).peaks;
    if (report.peaks.empty()) return std::nullopt;
    if (cache) remember(*cache, report, /*complete=*/false);
    return of_this_run[key.text()] = report.peaks.front();
  }
  return std::nullopt;
}

Ceilings ceilings_of(const PeakReport& report, const RunSettings& settings) {
  const bool on_host = settings.device.kind == DeviceKind::Cpu;
  return ceilings_of_peaks(report.peaks, report.machine.machine,
                           on_host ? probe_threads(settings) : 0);
}

Ceilings measured_ceilings(const Engine& engine, const RunSettings& settings, Refresh refresh) {
  return ceilings_of(measured_peaks(engine, settings, refresh), settings);
}

}  // namespace ridgeline
