#include "roofline/counters.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "core/error.h"
#include "cuda/plugin.h"
#include "engine/step.h"
#include "models/make.h"
#include "profile/count_step.h"

namespace ridgeline {
namespace {

class CudaCountersTest : public PluginTest {
 protected:
  static CounterReadings count(std::size_t most_kernels, const std::function<void()>& body) {
    const std::unique_ptr<DeviceCounters> counters(plugin().make_device_counters(
        {.metrics = roofline_counters(), .most_kernels = most_kernels}));
    bool more = true;
    while (more) {
      counters->begin_pass();
      body();
      backend().synchronize();
      more = counters->end_pass();
    }
    return counters->finish();
  }
  // All kernels as one.
  static CountedKernel total(const CounterReadings& readings) {
    CountedKernel sum;
    const auto add = [](auto& to, const auto& value) {
      ASSERT_TRUE(value.has_value());
      if (!to)
        to = *value;
      else
        to->count += value->count;
    };
    for (const KernelReadings& kernel : readings.kernels) {
      const CountedKernel one = counted_kernel(kernel.name, readings.metrics, kernel.values);
      for (const ComputePath path : {ComputePath::Fp32, ComputePath::TensorBf16})
        add(sum.flop[index_of(path)], one.flop[index_of(path)]);
      for (const MemoryLevel level : {MemoryLevel::Dram, MemoryLevel::L2, MemoryLevel::L1})
        add(sum.bytes[index_of(level)], one.bytes[index_of(level)]);
    }
    return sum;
  }
};

TEST_F(CudaCountersTest, AMatrixProductInBf16HasItsFlopsOnTheTensorCores) {
  const at::Tensor a = at::rand({1024, 1024}, at::TensorOptions(at::kCUDA).dtype(at::kBFloat16));
  (void)at::mm(a, a);
  const CounterReadings readings = count(16, [&] { (void)at::mm(a, a); });
  EXPECT_EQ(readings.dropped, 0);
  ASSERT_FALSE(readings.kernels.empty());
  EXPECT_FALSE(readings.kernels[0].name.empty());
  EXPECT_EQ(total(readings).flop[index_of(ComputePath::TensorBf16)]->count,
            2.0 * 1024 * 1024 * 1024);
}

TEST_F(CudaCountersTest, AnAdditionHasOneFlopAnElementAndMovesItsOperands) {
  constexpr std::int64_t kElements = std::int64_t{64} << 20;  // far beyond the caches
  const at::Tensor a = at::rand({kElements}, at::TensorOptions(at::kCUDA));
  const at::Tensor b = at::rand({kElements}, at::TensorOptions(at::kCUDA));
  at::Tensor sum = at::add(a, b);
  const CounterReadings readings = count(4, [&] { at::add_out(sum, a, b); });
  ASSERT_EQ(readings.kernels.size(), 1);
  const CountedKernel sum_of_all = total(readings);
  const auto elements = static_cast<double>(kElements);
  const double fp32 = sum_of_all.flop[index_of(ComputePath::Fp32)]->count;
  // a + alpha b is one fused operation an element, or one addition where alpha is known to be 1.
  EXPECT_GE(fp32, elements);
  EXPECT_LE(fp32, 2 * elements);
  EXPECT_NEAR(sum_of_all.bytes[index_of(MemoryLevel::Dram)]->count / (3 * 4 * elements), 1, 0.05);
  EXPECT_GE(sum_of_all.bytes[index_of(MemoryLevel::L2)]->count, 3 * 4 * elements * 0.99);
}

TEST_F(CudaCountersTest, EveryPassOfAStepLaunchesTheSameKernelsAndLeavesTheWeights) {
  const Device device{.kind = DeviceKind::Cuda, .index = 0};
  const ResNetSpec spec{.label = "resnet18",
                        .stem = ResNetSpec::Stem::Cifar,
                        .num_classes = 10,
                        .image_size = 32,
                        .batch_size = 8};
  const auto workload =
      make_step([&] { return make_model(spec, {.ops = plain_ops(), .device = device}, 1); },
                {.device = device}, backend());
  for (int i = 0; i < 3; ++i) (void)workload->step();
  const auto counted = [&] {
    const std::unique_ptr<DeviceCounters> counters(
        plugin().make_device_counters({.metrics = roofline_counters(), .most_kernels = 4096}));
    return count_step(*workload, *counters, [] { return false; }).value();
  };
  const CounterReadings first = counted();
  const CounterReadings second = counted();
  EXPECT_GT(first.kernels.size(), 100);
  EXPECT_EQ(first.dropped, 0);
  EXPECT_GE(first.passes, 2);
  ASSERT_EQ(first.kernels.size(), second.kernels.size());
  for (std::size_t i = 0; i < first.kernels.size(); ++i)
    EXPECT_EQ(first.kernels[i].name, second.kernels[i].name) << i;
  const auto fp32 = [](const CounterReadings& readings) {
    return total(readings).flop[index_of(ComputePath::Fp32)]->count;
  };
  EXPECT_NEAR(fp32(second) / fp32(first), 1, 1e-6);
}

}  // namespace
}  // namespace ridgeline
