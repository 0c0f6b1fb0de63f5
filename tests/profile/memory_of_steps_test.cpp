// The whole way from real steps to categories: torch's allocator, the names that a step gives, and
// the classifier, checked against what is known of the models.
#include <ATen/ATen.h>

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "engine/step.h"
#include "models/make.h"
#include "profile/memory_timeline.h"
#include "profile/observer.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

struct Stepped {
  Recording recording{};
  MemoryTimeline timeline{};
  std::int64_t parameter_bytes{};
  std::int64_t other_bytes{};  // buffers and constants
  [[nodiscard]] const MemoryCurve& curve() const { return timeline.main; }
  [[nodiscard]] std::int64_t highest(MemoryKind kind) const {
    return curve().highest[static_cast<std::size_t>(kind)];
  }
};

std::int64_t storage_bytes(const NamedTensors& tensors) {
  std::int64_t sum = 0;
  for (const auto& [name, tensor] : tensors)
    sum += static_cast<std::int64_t>(tensor.storage().nbytes());
  return sum;
}

Stepped recorded_steps(const ModelSpec& spec, const RunSettings& settings, int steps = 2) {
  Stepped out;
  const auto workload = make_step(
      [&] {
        auto model = make_model(
            spec,
            {.ops = plain_ops(), .activation_checkpointing = settings.activation_checkpointing}, 1);
        out.parameter_bytes = storage_bytes(model->parameters());
        out.other_bytes = storage_bytes(model->buffers()) + storage_bytes(model->constants());
        return model;
      },
      settings, cpu_backend());
  (void)workload->step();
  const std::unique_ptr<OpObserver> observer(
      ridgeline_make_op_observer({.memory = true, .trace_bytes = 50e6}));
  for (int i = 0; i < steps; ++i) {
    const WatchedStep watched(*observer, i, Keep::Everything);
    (void)workload->step();
  }
  out.recording = observer->finish();
  out.timeline = memory_timeline(out.recording).value();
  return out;
}

TransformerSpec tiny_transformer() {
  return {.label = "tiny",
          .vocab_size = 64,
          .d_model = 32,
          .d_ff = 64,
          .num_layers = 2,
          .num_heads = 2,
          .num_kv_heads = 2,
          .context_length = 16,
          .batch_size = 2};
}

ResNetSpec small_resnet() {
  return {.label = "resnet18", .num_classes = 10, .image_size = 32, .batch_size = 2};
}

std::int64_t highest_running_sum(const Recording& recording) {
  std::int64_t sum = 0;
  std::int64_t highest = 0;
  for (const MemoryRecord& record : recording.memory)
    highest = std::max(highest, sum += record.bytes);
  return highest;
}

void expect_a_training_step_accounted_for(const Stepped& stepped) {
  const MemoryCurve& curve = stepped.curve();
  EXPECT_FALSE(curve.on_device);
  EXPECT_EQ(stepped.highest(MemoryKind::Parameter), stepped.parameter_bytes);
  EXPECT_EQ(stepped.highest(MemoryKind::Gradient), stepped.parameter_bytes)
      << "every parameter has one gradient of its size";
  // Two moments, a step counter and a learning rate.
  EXPECT_EQ(stepped.highest(MemoryKind::OptimizerState), 2 * stepped.parameter_bytes + 8);
  EXPECT_EQ(stepped.highest(MemoryKind::Buffer), stepped.other_bytes);
  EXPECT_GT(stepped.highest(MemoryKind::Input), 0);
  EXPECT_GT(stepped.highest(MemoryKind::Activation), 0);
  EXPECT_GT(stepped.highest(MemoryKind::Temporary), 0);
  EXPECT_EQ(stepped.highest(MemoryKind::Other), 0) << "nothing is left unexplained";
  EXPECT_EQ(curve.first, 3 * stepped.parameter_bytes + 8 + stepped.other_bytes +
                             stepped.highest(MemoryKind::Input));
  EXPECT_EQ(curve.peak.level.total(), curve.first + highest_running_sum(stepped.recording))
      << "what was there and what was recorded";
  EXPECT_EQ(curve.levels.back().total(), curve.first) << "a step gives back what it took";
  EXPECT_EQ(stepped.timeline.freed_unseen, 0);
}

TEST(MemoryOfStepsTest, ATransformersTrainingIsAccountedForToTheByte) {
  expect_a_training_step_accounted_for(recorded_steps(tiny_transformer(), {.threads = 1}));
}

TEST(MemoryOfStepsTest, AResNetsTrainingIsAccountedForToTheByte) {
  expect_a_training_step_accounted_for(recorded_steps(small_resnet(), {.threads = 1}));
}

TEST(MemoryOfStepsTest, GradientsOfSeveralMicroBatchesLiveInOnePlace) {
  const Stepped stepped = recorded_steps(tiny_transformer(), {.accumulation = 3, .threads = 1});
  EXPECT_EQ(stepped.highest(MemoryKind::Gradient), stepped.parameter_bytes);
  EXPECT_EQ(stepped.highest(MemoryKind::Other), 0);
}

TEST(MemoryOfStepsTest, InferenceHasNoGradientsAndNoOptimizer) {
  const Stepped stepped =
      recorded_steps(tiny_transformer(), {.extent = Extent::Inference, .threads = 1});
  EXPECT_EQ(stepped.highest(MemoryKind::Gradient), 0);
  EXPECT_EQ(stepped.highest(MemoryKind::OptimizerState), 0);
  EXPECT_EQ(stepped.highest(MemoryKind::Parameter), stepped.parameter_bytes);
  EXPECT_GT(stepped.highest(MemoryKind::Temporary), 0);
}

TEST(MemoryOfStepsTest, RecomputedBlocksKeepFewerActivations) {
  TransformerSpec spec = tiny_transformer();
  spec.num_layers = 6;
  const auto activations = [&](bool checkpointing) {
    return recorded_steps(spec, {.activation_checkpointing = checkpointing, .threads = 1})
        .highest(MemoryKind::Activation);
  };
  EXPECT_LT(activations(true), activations(false) / 2);
}

TEST(MemoryOfStepsTest, NobodyIsToldWhenNobodyListens) {
  EXPECT_EQ(block_listener.load(), nullptr);
  const std::unique_ptr<OpObserver> observer(
      ridgeline_make_op_observer({.memory = false, .trace_bytes = 1e6}));
  observer->resume(Keep::Everything);
  EXPECT_EQ(block_listener.load(), nullptr) << "memory was not asked for";
  observer->pause();
}

}  // namespace
}  // namespace ridgeline
