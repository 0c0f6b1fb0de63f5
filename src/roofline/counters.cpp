#include "roofline/counters.h"

#include <array>
#include <bitset>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "roofline/flop_metrics.h"

namespace ridgeline {
namespace {

constexpr std::array kCounters{
    NcuMetric::Fadd,       NcuMetric::Fmul,       NcuMetric::Ffma,       NcuMetric::Hadd,
    NcuMetric::Hmul,       NcuMetric::Hfma,       NcuMetric::Dadd,       NcuMetric::Dmul,
    NcuMetric::Dfma,       NcuMetric::TensorFp64, NcuMetric::TensorTf32, NcuMetric::TensorFp16,
    NcuMetric::TensorBf16, NcuMetric::TensorFp8,  NcuMetric::TensorInt8, NcuMetric::DramRead,
    NcuMetric::DramWrite,  NcuMetric::L2Bytes,    NcuMetric::L1Bytes};

// Beyond 2^63 or below zero a counter overflowed, as in a file of ncu.
bool is_count(double value) { return std::isfinite(value) && value >= 0 && value < 0x1p63; }

// What was read, by metric. One that the device does not have is as absent as one that was lost.
class Readings {
 public:
  Readings(std::span<const std::string> metrics, std::span<const double> values) {
    RIDGELINE_CHECK(metrics.size() == values.size());
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const auto reading = ncu_reading(metrics[i], "");
      RIDGELINE_CHECK(reading.has_value());
      const auto place = static_cast<std::size_t>(reading->metric);
      asked_[place] = true;
      if (is_count(values[i])) {
        values_[place] = values[i] * reading->factor;
      } else {
        is_partial_ = true;
      }
    }
  }
  [[nodiscard]] bool asked(NcuMetric metric) const {
    return asked_[static_cast<std::size_t>(metric)];
  }
  [[nodiscard]] bool is_partial() const { return is_partial_; }
  [[nodiscard]] std::optional<double> of(NcuMetric metric) const {
    return values_[static_cast<std::size_t>(metric)];
  }

 private:
  std::bitset<kNcuMetrics> asked_;
  std::array<std::optional<double>, kNcuMetrics> values_{};
  bool is_partial_ = false;
};

// A path's FLOPs are known when every counter of it was read.
std::optional<Flop> flop_of(const Readings& readings, ComputePath path) {
  std::optional<Flop> sum;
  for (const FlopMetric& counted : kFlopMetrics) {
    if (counted.path != path || !readings.asked(counted.metric)) continue;
    const auto value = readings.of(counted.metric);
    if (!value) return std::nullopt;
    sum = Flop{(sum ? sum->count : 0) + counted.flop * *value};
  }
  return sum;
}

std::optional<Bytes> as_bytes(std::optional<double> value) {
  return value ? std::optional(Bytes{*value}) : std::nullopt;
}

}  // namespace

std::vector<std::string> roofline_counters() {
  std::vector<std::string> names;
  for (const NcuMetric metric : kCounters) names.emplace_back(name_of(metric));
  return names;
}

CountedKernel counted_kernel(const std::string& name, std::span<const std::string> metrics,
                             std::span<const double> values) {
  const Readings readings(metrics, values);
  CountedKernel kernel{.name = name};
  for (const ComputePath path : all_compute_paths())
    kernel.flop[index_of(path)] = flop_of(readings, path);
  const auto read = readings.of(NcuMetric::DramRead);
  const auto written = readings.of(NcuMetric::DramWrite);
  if (read && written) kernel.bytes[index_of(MemoryLevel::Dram)] = Bytes{*read + *written};
  kernel.bytes[index_of(MemoryLevel::L2)] = as_bytes(readings.of(NcuMetric::L2Bytes));
  kernel.bytes[index_of(MemoryLevel::L1)] = as_bytes(readings.of(NcuMetric::L1Bytes));
  kernel.is_partial = readings.is_partial();
  kernel.totals = {.fadd = readings.of(NcuMetric::Fadd),
                   .fmul = readings.of(NcuMetric::Fmul),
                   .ffma = readings.of(NcuMetric::Ffma),
                   .dram_read = as_bytes(read),
                   .dram_write = as_bytes(written)};
  return kernel;
}

}  // namespace ridgeline
