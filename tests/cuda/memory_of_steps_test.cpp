#include <gtest/gtest.h>

#include "cuda/plugin.h"
#include "engine/step.h"
#include "models/make.h"
#include "profile/memory_timeline.h"
#include "profile/observer.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

using CudaMemoryOfStepsTest = PluginTest;

TEST_F(CudaMemoryOfStepsTest, ThePeakIsTheAllocatorsAndWhatIsNamedIsFound) {
  const Device device{.kind = DeviceKind::Cuda, .index = 0};
  const TransformerSpec spec{.label = "tiny",
                             .vocab_size = 64,
                             .d_model = 32,
                             .d_ff = 64,
                             .num_layers = 2,
                             .num_heads = 2,
                             .num_kv_heads = 2,
                             .context_length = 16,
                             .batch_size = 2};
  const auto workload =
      make_step([&] { return make_model(spec, {.ops = plain_ops(), .device = device}, 1); },
                {.device = device}, backend());
  for (int i = 0; i < 3; ++i) (void)workload->step();
  workload->reset_peak_memory();
  const std::unique_ptr<OpObserver> observer(
      ridgeline_make_op_observer({.memory = true, .trace_bytes = 50e6}));
  for (int i = 0; i < 2; ++i) {
    const WatchedStep watched(*observer, i, Keep::Everything);
    (void)workload->step();
  }
  const auto timeline = memory_timeline(observer->finish());
  ASSERT_TRUE(timeline);
  const MemoryCurve& curve = timeline->main;
  const auto highest = [&](MemoryKind kind) {
    return curve.highest[static_cast<std::size_t>(kind)];
  };
  EXPECT_TRUE(curve.on_device);
  EXPECT_EQ(static_cast<double>(curve.peak.level.total()), workload->memory().peak.count);
  EXPECT_GT(highest(MemoryKind::Parameter), 0);
  EXPECT_GE(highest(MemoryKind::OptimizerState), 2 * highest(MemoryKind::Parameter));
  EXPECT_GE(highest(MemoryKind::Gradient), highest(MemoryKind::Parameter))
      << "the allocator rounds up";
  EXPECT_GT(highest(MemoryKind::Activation), 0);
}

}  // namespace
}  // namespace ridgeline
