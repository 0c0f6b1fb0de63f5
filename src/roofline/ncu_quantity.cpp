#include "roofline/ncu_quantity.h"

#include <optional>

#include "core/error.h"

namespace ridgeline {
namespace {

std::optional<double> value_in(const NcuKernel& kernel, NcuMetric metric, NcuForm form) {
  const std::size_t slot = NcuReading{.metric = metric, .form = form}.slot();
  return kernel.present[slot] ? std::optional(kernel.values[slot]) : std::nullopt;
}

std::optional<double> cycles_of(const NcuKernel& kernel) {
  if (const auto cycles = value_in(kernel, NcuMetric::Cycles, NcuForm::Sum)) return cycles;
  const auto frequency = value_in(kernel, NcuMetric::Cycles, NcuForm::PerSecond);
  const auto time = value_in(kernel, NcuMetric::Time, NcuForm::Sum);
  return frequency && time ? std::optional(*frequency * *time) : std::nullopt;
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
  if (const auto sum = value_in(kernel, metric, NcuForm::Sum))
    return {.state = QuantityState::Value, .value = *sum};
  const auto rate = value_in(kernel, metric, NcuForm::PerSecond);
  const auto time = value_in(kernel, NcuMetric::Time, NcuForm::Sum);
  if (rate && time) return {.state = QuantityState::Value, .value = *rate * *time};
  const auto per_cycle = value_in(kernel, metric, NcuForm::PerCycle);
  const auto cycles = cycles_of(kernel);
  if (per_cycle && cycles) return {.state = QuantityState::Value, .value = *per_cycle * *cycles};
  Quantity none;
  for (std::size_t form = 0; form < kNcuForms; ++form) {
    const std::size_t slot =
        NcuReading{.metric = metric, .form = static_cast<NcuForm>(form)}.slot();
    if (kernel.overflowed[slot]) return {.state = QuantityState::Overflowed};
    if (kernel.unavailable[slot]) none.state = QuantityState::Unavailable;
  }
  return none;
}

}  // namespace ridgeline
