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
#include "roofline/ncu_points.h"

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
  // All kernels as one point; their times are not counted here.
  static RooflinePoint total(const CounterReadings& readings) {
    std::vector<CountedLaunch> launches;
    for (const KernelReadings& kernel : readings.kernels)
      launches.push_back({.name = kernel.name, .time = Seconds{1e-6}, .values = kernel.values});
    const NcuPoints points = points_of(report_of(readings.metrics, launches, "counters"));
    EXPECT_TRUE(points.left_out.empty());
    return total_of(points.points, "all");
  }
};

TEST_F(CudaCountersTest, AMatrixProductInBf16HasItsFlopsOnTheTensorCores) {
  const at::Tensor a = at::rand({1024, 1024}, at::TensorOptions(at::kCUDA).dtype(at::kBFloat16));
  (void)at::mm(a, a);
  const CounterReadings readings = count(16, [&] { (void)at::mm(a, a); });
  EXPECT_EQ(readings.dropped, 0);
  ASSERT_FALSE(readings.kernels.empty());
  EXPECT_FALSE(readings.kernels[0].name.empty());
  const RooflinePoint point = total(readings);
  EXPECT_EQ(point.flop[index_of(ComputePath::TensorBf16)].count, 2.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(point.main_path(), ComputePath::TensorBf16);
}

TEST_F(CudaCountersTest, AnAdditionHasOneFlopAnElementAndMovesItsOperands) {
  constexpr std::int64_t kElements = std::int64_t{64} << 20;  // far beyond the caches
  const at::Tensor a = at::rand({kElements}, at::TensorOptions(at::kCUDA));
  const at::Tensor b = at::rand({kElements}, at::TensorOptions(at::kCUDA));
  at::Tensor sum = at::add(a, b);
  const CounterReadings readings = count(4, [&] { at::add_out(sum, a, b); });
  ASSERT_EQ(readings.kernels.size(), 1);
  const RooflinePoint point = total(readings);
  const auto elements = static_cast<double>(kElements);
  const double fp32 = point.flop[index_of(ComputePath::Fp32)].count;
  // a + alpha b is one fused operation an element, or one addition where alpha is known to be 1.
  EXPECT_GE(fp32, elements);
  EXPECT_LE(fp32, 2 * elements);
  EXPECT_NEAR(point.of(MemoryLevel::Dram)->count / (3 * 4 * elements), 1, 0.05);
  EXPECT_GE(point.of(MemoryLevel::L2)->count, 3 * 4 * elements * 0.99);
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
  EXPECT_NEAR(total(second).total_flop().count / total(first).total_flop().count, 1, 1e-6);
}

}  // namespace
}  // namespace ridgeline
