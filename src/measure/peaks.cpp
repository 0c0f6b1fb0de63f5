#include "measure/peaks.h"

#include "core/error.h"
#include "engine/peaks.h"
#include "roofline/peak_cache.h"

namespace ridgeline {
namespace {

// A cache that cannot be written costs time, not the number.
void remember(const std::filesystem::path& file, const PeakKey& key, double measured) {
  try {
    PeakCache(file).store(key, measured);
  } catch (const Error&) {
    return;
  }
}

std::optional<double> find_or_measure(const Engine& engine, const RunSettings& settings,
                                      const std::string& dtype, const char* symbol) try {
  Backend& backend = engine.backend(settings.device);
  const PeakKey key{.machine = backend.facts(settings.device.index).name,
                    .dtype = dtype,
                    .threads = settings.device.kind == DeviceKind::Cpu ? settings.threads : 0,
                    .torch = engine.torch_version()};
  const auto file = default_peak_file();
  if (file) {
    if (const auto known = PeakCache(*file).find(key)) return known;
  }
  const double measured = engine.symbol<MeasurePeak>(symbol)(settings, backend);
  backend.release_cached_memory();
  if (file) remember(*file, key, measured);
  return measured;
} catch (const std::exception&) {
  return std::nullopt;  // torch's own errors too: a row without MFU is still a row
}

}  // namespace

std::string_view peak_dtype(Precision precision) {
  return precision == Precision::Bf16Pure ? name_of(Precision::Bf16) : name_of(precision);
}

std::optional<FlopPerSecond> matmul_peak(const Engine& engine, const RunSettings& settings) {
  const auto rate = find_or_measure(engine, settings, std::string(peak_dtype(settings.precision)),
                                    kMatmulPeakSymbol);
  return rate ? std::optional(FlopPerSecond{*rate}) : std::nullopt;
}

std::optional<BytesPerSecond> copy_peak(const Engine& engine, const RunSettings& settings) {
  const auto rate = find_or_measure(engine, settings, "copy", kCopyPeakSymbol);
  return rate ? std::optional(BytesPerSecond{*rate}) : std::nullopt;
}

}  // namespace ridgeline
