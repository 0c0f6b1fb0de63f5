#include "roofline/counters.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/sum.h>

#include <gtest/gtest.h>

#include "cuda/counters_fixture.h"
#include "engine/step.h"
#include "models/make.h"
#include "profile/count_step.h"

namespace ridgeline {
namespace {

using CudaCountersTest = CountersTest;

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

// The kernels that empty the caches are launched from within a callback of each launch, also of
// those that cuBLAS makes through the driver.
TEST_F(CudaCountersTest, AMatrixProductWithEmptiedCachesHasTheSameFlopsAndItsOperandFromDram) {
  const at::Tensor a = at::rand({1024, 1024}, at::TensorOptions(at::kCUDA).dtype(at::kBFloat16));
  (void)at::mm(a, a);
  const CounterReadings readings = count(
      16, [&] { (void)at::mm(a, a); }, CacheControl::All);
  EXPECT_EQ(readings.dropped, 0);
  const CountedKernel sum = total(readings);
  EXPECT_EQ(sum.flop[index_of(ComputePath::TensorBf16)]->count, 2.0 * 1024 * 1024 * 1024);
  EXPECT_GE(sum.bytes[index_of(MemoryLevel::Dram)]->count, 0.95 * 2 * 1024 * 1024);
  for (const KernelReadings& kernel : readings.kernels)
    EXPECT_EQ(kernel.name.find("sweep"), std::string::npos) << kernel.name;
}

TEST_F(CudaCountersTest, WhatAKernelLeftInTheCacheIsReadAgainOnlyWhereCachesAreEmptied) {
  constexpr std::int64_t kElements = std::int64_t{4} << 20;  // 16 MiB: well within the L2
  const at::Tensor a = at::rand({kElements}, at::TensorOptions(at::kCUDA));
  at::Tensor sum = at::sum(a);
  const auto read_by_second = [&](CacheControl cache) {
    const CounterReadings readings = count(
        16,
        [&] {
          at::sum_out(sum, a, at::kFloat);
          at::sum_out(sum, a, at::kFloat);
        },
        cache);
    EXPECT_EQ(readings.kernels.size() % 2, 0);
    double bytes = 0;
    for (std::size_t i = readings.kernels.size() / 2; i < readings.kernels.size(); ++i)
      bytes +=
          counted_kernel("", readings.metrics, readings.kernels[i].values).totals.dram_read->count;
    return bytes / (4 * static_cast<double>(kElements));
  };
  EXPECT_LT(read_by_second(CacheControl::None), 0.1);
  EXPECT_NEAR(read_by_second(CacheControl::All), 1, 0.05);
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
  const auto counted = [&](CacheControl cache) {
    const std::unique_ptr<DeviceCounters> counters(plugin().make_device_counters(
        {.metrics = roofline_counters(), .most_kernels = 4096, .cache = cache}));
    return count_step(*workload, *counters, [] { return false; }).value();
  };
  const CounterReadings first = counted(CacheControl::None);
  const CounterReadings second = counted(CacheControl::None);
  const CounterReadings cold = counted(CacheControl::All);
  EXPECT_GT(first.kernels.size(), 100);
  EXPECT_EQ(first.dropped, 0);
  EXPECT_GE(first.passes, 2);
  ASSERT_EQ(first.kernels.size(), second.kernels.size());
  ASSERT_EQ(first.kernels.size(), cold.kernels.size());
  for (std::size_t i = 0; i < first.kernels.size(); ++i) {
    EXPECT_EQ(first.kernels[i].name, second.kernels[i].name) << i;
    EXPECT_EQ(first.kernels[i].name, cold.kernels[i].name) << i;
  }
  const auto fp32 = [](const CounterReadings& readings) {
    return total(readings).flop[index_of(ComputePath::Fp32)]->count;
  };
  EXPECT_NEAR(fp32(second) / fp32(first), 1, 1e-6);
  EXPECT_NEAR(fp32(cold) / fp32(first), 1, 1e-6);
  const auto dram = [](const CounterReadings& readings) {
    return total(readings).bytes[index_of(MemoryLevel::Dram)]->count;
  };
  EXPECT_GT(dram(cold), dram(first));
}

}  // namespace
}  // namespace ridgeline
