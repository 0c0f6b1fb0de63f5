#include "roofline/counters.h"

#include <array>
#include <cmath>

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::array kCounters{
    NcuMetric::Fadd,       NcuMetric::Fmul,       NcuMetric::Ffma,       NcuMetric::Hadd,
    NcuMetric::Hmul,       NcuMetric::Hfma,       NcuMetric::Dadd,       NcuMetric::Dmul,
    NcuMetric::Dfma,       NcuMetric::TensorFp64, NcuMetric::TensorTf32, NcuMetric::TensorFp16,
    NcuMetric::TensorBf16, NcuMetric::TensorFp8,  NcuMetric::TensorInt8, NcuMetric::DramRead,
    NcuMetric::DramWrite,  NcuMetric::L2Bytes,    NcuMetric::L1Bytes};

void set(NcuKernel& kernel, NcuMetric metric, double value) {
  const auto place = static_cast<std::size_t>(metric);
  if (!std::isfinite(value)) {
    kernel.unavailable[place] = true;
    return;
  }
  kernel.values[place] = value;
  kernel.present[place] = true;
}

}  // namespace

std::vector<std::string> roofline_counters() {
  std::vector<std::string> names;
  for (const NcuMetric metric : kCounters) names.emplace_back(name_of(metric));
  return names;
}

NcuReport report_of(const std::vector<std::string>& metrics,
                    const std::vector<CountedLaunch>& launches, const std::string& source) {
  std::vector<NcuReading> readings;
  for (const std::string& metric : metrics) {
    const auto reading = ncu_reading(metric, "");
    RIDGELINE_CHECK(reading.has_value());
    readings.push_back(*reading);
  }
  NcuReport report{.source = source};
  (void)report.names.number_of("");  // 0: the grid, block and ranges that nobody told
  for (const CountedLaunch& launch : launches) {
    RIDGELINE_CHECK(launch.values.size() == readings.size());
    NcuKernel kernel{.name = report.names.number_of(launch.name)};
    set(kernel, NcuMetric::Time, launch.time.count());
    for (std::size_t i = 0; i < readings.size(); ++i)
      set(kernel, readings[i].metric, launch.values[i] * readings[i].factor);
    report.kernels.push_back(kernel);
  }
  return report;
}

}  // namespace ridgeline
