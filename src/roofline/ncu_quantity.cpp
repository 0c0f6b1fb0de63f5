#include "roofline/ncu_quantity.h"

#include <optional>

#include "core/error.h"

namespace ridgeline {
namespace {

std::optional<double> value_in(const NcuKernel& kernel, NcuMetric metric, NcuForm form) {
  const auto at = static_cast<std::size_t>(metric);
  const bool has = kernel.present[at] && kernel.forms[at] == form;
  return has ? std::optional(kernel.values[at]) : std::nullopt;
}

std::optional<double> cycles_of(const NcuKernel& kernel) {
  if (const auto cycles = value_in(kernel, NcuMetric::Cycles, NcuForm::Sum)) return cycles;
  const auto frequency = value_in(kernel, NcuMetric::Cycles, NcuForm::PerSecond);
  const auto time = value_in(kernel, NcuMetric::Time, NcuForm::Sum);
  return frequency && time ? std::optional(*frequency * *time) : std::nullopt;
}

// What the value is to be multiplied with to be a sum; absent when that is not known.
std::optional<double> multiplier(const NcuKernel& kernel, NcuForm form) {
  switch (form) {
    case NcuForm::Sum:
      return 1;
    case NcuForm::PerSecond:
      return value_in(kernel, NcuMetric::Time, NcuForm::Sum);
    case NcuForm::PerCycle:
      return cycles_of(kernel);
  }
  return std::nullopt;
}

}  // namespace

std::string_view description_of(QuantityState state) {
  switch (state) {
    case QuantityState::Absent:
      return "is missing";
    case QuantityState::Unavailable:
      return "is n/a";
    case QuantityState::Overflowed:
      return "overflowed";
    case QuantityState::Value:
      return "is there";
  }
  RIDGELINE_CHECK(false);
  return {};
}

Quantity ncu_quantity(const NcuKernel& kernel, NcuMetric metric) {
  const auto at = static_cast<std::size_t>(metric);
  if (kernel.present[at]) {
    if (const auto times = multiplier(kernel, kernel.forms[at]))
      return {.state = QuantityState::Value, .value = kernel.values[at] * *times};
  }
  if (kernel.overflowed[at]) return {.state = QuantityState::Overflowed};
  if (kernel.unavailable[at]) return {.state = QuantityState::Unavailable};
  return {};
}

NcuMetrics metrics_of(const NcuReport& report) {
  NcuMetrics has;
  for (const NcuKernel& kernel : report.kernels) {
    const auto fresh = (kernel.present | kernel.overflowed) & ~has;
    for (std::size_t i = 0; fresh.any() && i < kNcuMetrics; ++i) {
      if (!fresh[i]) continue;
      const QuantityState state = ncu_quantity(kernel, static_cast<NcuMetric>(i)).state;
      has[i] = state == QuantityState::Value || state == QuantityState::Overflowed;
    }
  }
  return has;
}

}  // namespace ridgeline
