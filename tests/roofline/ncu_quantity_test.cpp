#include "roofline/ncu_quantity.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

void put(NcuKernel& kernel, NcuMetric metric, NcuForm form, double value) {
  const auto at = static_cast<std::size_t>(metric);
  kernel.present[at] = true;
  kernel.forms[at] = form;
  kernel.values[at] = value;
}

TEST(NcuQuantityTest, EveryFormBecomesASum) {
  NcuKernel kernel;
  EXPECT_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).state, QuantityState::Absent);
  put(kernel, NcuMetric::DramBytes, NcuForm::PerCycle, 3);
  EXPECT_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).state, QuantityState::Absent);
  put(kernel, NcuMetric::Cycles, NcuForm::Sum, 100);
  EXPECT_DOUBLE_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).value, 300);
  put(kernel, NcuMetric::DramBytes, NcuForm::PerSecond, 50);
  EXPECT_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).state, QuantityState::Absent);
  put(kernel, NcuMetric::Time, NcuForm::Sum, 4);
  EXPECT_DOUBLE_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).value, 200);
  put(kernel, NcuMetric::DramBytes, NcuForm::Sum, 7);
  EXPECT_DOUBLE_EQ(ncu_quantity(kernel, NcuMetric::DramBytes).value, 7);
}

TEST(NcuQuantityTest, CyclesComeFromFrequencyAndTimeToo) {
  NcuKernel kernel;
  put(kernel, NcuMetric::Fadd, NcuForm::PerCycle, 2);
  put(kernel, NcuMetric::Cycles, NcuForm::PerSecond, 1e9);
  put(kernel, NcuMetric::Time, NcuForm::Sum, 1e-3);
  EXPECT_DOUBLE_EQ(ncu_quantity(kernel, NcuMetric::Fadd).value, 2e6);
}

TEST(NcuQuantityTest, AnOverflowIsToldEvenBesideAnNa) {
  NcuKernel kernel;
  const auto at = static_cast<std::size_t>(NcuMetric::Fadd);
  kernel.unavailable[at] = true;
  EXPECT_EQ(ncu_quantity(kernel, NcuMetric::Fadd).state, QuantityState::Unavailable);
  kernel.overflowed[at] = true;
  EXPECT_EQ(ncu_quantity(kernel, NcuMetric::Fadd).state, QuantityState::Overflowed);
  EXPECT_EQ(description_of(QuantityState::Overflowed), "overflowed");
}

}  // namespace
}  // namespace ridgeline
