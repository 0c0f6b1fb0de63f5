#include "engine/step.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

// y = x w, loss = mean((y - target)^2); keeps the last input so that tests see what was fed.
class LineModel final : public Model {
 public:
  LineModel() { weight_.set_requires_grad(true); }
  at::Tensor forward(const at::Tensor& input) override {
    grad_enabled = at::GradMode::is_enabled();
    return at::matmul(input, weight_);
  }
  at::Tensor loss(const at::Tensor& input, const at::Tensor& target) override {
    if (fail) TORCH_CHECK(false, "something broke\nwith a second line");
    return forward(input).sub(target).pow(2).mean();
  }
  [[nodiscard]] std::pair<at::Tensor, at::Tensor> synthetic_batch(
      std::uint64_t seed) const override {
    const double shift = static_cast<double>(seed);
    const at::Tensor input = at::arange(6, at::kFloat).add(shift).div(10).reshape({2, 3});
    return {input, at::ones({2, 1}, at::kFloat)};
  }
  [[nodiscard]] NamedTensors parameters() const override { return {{"weight", weight_}}; }
  [[nodiscard]] ModelEnds ends() const override { return {}; }
  [[nodiscard]] NamedTensors buffers() const override { return {}; }
  [[nodiscard]] NamedTensors constants() const override { return {}; }
  [[nodiscard]] at::Tensor gradient_seed() const override { return {}; }
  void set_training(bool on) override { training = on; }

  bool fail = false;
  bool training = false;
  bool grad_enabled = false;

 private:
  at::Tensor weight_ = at::full({3, 1}, 0.5, at::kFloat);
};

// A workload and the model inside it.
struct Prepared {
  std::unique_ptr<Workload> workload;
  LineModel* model = nullptr;
  [[nodiscard]] at::Tensor weight() const {
    return model->parameters().front().second.detach().clone();
  }
};

Prepared prepare(const RunSettings& settings) {
  Prepared prepared;
  prepared.workload = make_step(
      [&] {
        auto model = std::make_unique<LineModel>();
        prepared.model = model.get();
        return model;
      },
      settings, cpu_backend());
  return prepared;
}

RunSettings settings_for(Extent extent) {
  RunSettings settings;
  settings.extent = extent;
  settings.seed = 1;
  return settings;
}

TEST(StepTest, PhasesAddUpToTheWhole) {
  for (const Extent extent : {Extent::Inference, Extent::Forward, Extent::Backward, Extent::Step}) {
    RunSettings settings = settings_for(extent);
    settings.accumulation = 3;
    const StepTimes times = prepare(settings).workload->step();
    EXPECT_GT(times.total.count(), 0);
    EXPECT_NEAR((times.forward + times.backward + times.optimizer).count(), times.total.count(),
                1e-12);
    EXPECT_GE(times.host, times.total);
  }
}

TEST(StepTest, PhasesThatTheExtentLeavesOutAreZero) {
  for (const Extent extent : {Extent::Inference, Extent::Forward}) {
    const StepTimes times = prepare(settings_for(extent)).workload->step();
    EXPECT_GT(times.forward.count(), 0);
    EXPECT_EQ(times.backward.count(), 0);
    EXPECT_EQ(times.optimizer.count(), 0);
  }
  const StepTimes times = prepare(settings_for(Extent::Backward)).workload->step();
  EXPECT_GT(times.backward.count(), 0);
  EXPECT_EQ(times.optimizer.count(), 0);
  EXPECT_GT(prepare(settings_for(Extent::Step)).workload->step().optimizer.count(), 0);
}

TEST(StepTest, AStepCanBeRepeatedFromTheSameState) {
  const Prepared prepared = prepare(settings_for(Extent::Step));
  (void)prepared.workload->step();  // so that the optimizer remembers something
  const at::Tensor before = prepared.weight();
  prepared.workload->keep_state();
  (void)prepared.workload->step();
  const at::Tensor after = prepared.weight();
  for (int i = 0; i < 2; ++i) {
    prepared.workload->restore_state();
    EXPECT_TRUE(at::equal(prepared.weight(), before));
    (void)prepared.workload->step();
    EXPECT_TRUE(at::equal(prepared.weight(), after));
  }
}

TEST(StepTest, OnlyAWholeStepChangesTheParameters) {
  for (const Extent extent : {Extent::Inference, Extent::Forward, Extent::Backward, Extent::Step}) {
    const Prepared prepared = prepare(settings_for(extent));
    const at::Tensor before = prepared.weight();
    (void)prepared.workload->step();
    EXPECT_EQ(at::equal(prepared.weight(), before), extent != Extent::Step) << name_of(extent);
  }
}

TEST(StepTest, NoGradientOutlivesAStep) {
  for (const Extent extent : {Extent::Backward, Extent::Step}) {
    const Prepared prepared = prepare(settings_for(extent));
    (void)prepared.workload->step();
    EXPECT_FALSE(prepared.model->parameters().front().second.grad().defined()) << name_of(extent);
  }
}

TEST(StepTest, StepsLowerTheLoss) {
  RunSettings settings = settings_for(Extent::Step);
  const Prepared prepared = prepare(settings);
  const auto [input, target] = prepared.model->synthetic_batch(settings.seed);
  const auto loss = [&, &in = input, &to = target] {
    const at::NoGradGuard no_grad;
    return prepared.model->loss(in, to).item<double>();
  };
  const double before = loss();
  for (int i = 0; i < 20; ++i) (void)prepared.workload->step();
  EXPECT_LT(loss(), before);
}

TEST(StepTest, AccumulatedMicroBatchesStepWithTheirMeanGradient) {
  RunSettings settings = settings_for(Extent::Step);
  settings.optimizer = OptimizerKind::Sgd;
  settings.accumulation = 2;
  const Prepared prepared = prepare(settings);
  // The same two batches by hand: mean of the losses, one Nesterov step from zero momentum with the
  // defaults (rate 3e-4, decay 0.01, momentum 0.9), which moves by (1 + momentum) times the
  // gradient.
  LineModel twin;
  at::Tensor weight = twin.parameters().front().second;
  const auto first = twin.synthetic_batch(settings.seed);
  const auto second = twin.synthetic_batch(settings.seed + 1);
  (twin.loss(first.first, first.second) + twin.loss(second.first, second.second)).div(2).backward();
  const at::Tensor moved =
      weight.detach() - (weight.grad() + weight.detach() * 0.01) * (3e-4 * 1.9);
  (void)prepared.workload->step();
  EXPECT_TRUE(at::allclose(prepared.weight(), moved, 1e-6, 1e-7));
}

TEST(StepTest, InferenceRunsInEvaluationModeWithoutGradients) {
  const Prepared inference = prepare(settings_for(Extent::Inference));
  (void)inference.workload->step();
  EXPECT_FALSE(inference.model->training);
  EXPECT_FALSE(inference.model->grad_enabled);
  const Prepared forward = prepare(settings_for(Extent::Forward));
  (void)forward.workload->step();
  EXPECT_TRUE(forward.model->training);
  EXPECT_TRUE(forward.model->grad_enabled);
}

TEST(StepTest, TorchsErrorsBecomeOursWithTheirFirstLine) {
  const Prepared prepared = prepare(settings_for(Extent::Step));
  prepared.model->fail = true;
  EXPECT_EQ(message_of(Fault::Device, [&] { (void)prepared.workload->step(); }), "something broke");
}

TEST(StepTest, AnAllocationThatFailsIsAMemoryFault) {
  const Prepared prepared = prepare(settings_for(Extent::Forward));
  (void)message_of(Fault::Memory, [&] { prepared.workload->grow_memory(Bytes{1e17}); });
  EXPECT_GT(prepared.workload->step().total.count(), 0) << "the workload must survive it";
}

TEST(StepTest, ErrorsWhileTheModelIsBuiltAreTranslatedToo) {
  EXPECT_EQ(
      message_of(Fault::Device,
                 [] {
                   (void)make_step(
                       []() -> std::unique_ptr<Model> { TORCH_CHECK(false, "no such weights"); },
                       settings_for(Extent::Forward), cpu_backend());
                 }),
      "no such weights");
}

TEST(StepTest, ACpuHasNoGraphs) {
  RunSettings settings = settings_for(Extent::Step);
  settings.mode = Mode::Graph;
  EXPECT_THAT(message_of(Fault::Device, [&] { (void)prepare(settings); }),
              HasSubstr("CUDA graphs"));
}

TEST(StepTest, MemoryInUseIsReported) {
  const Prepared prepared = prepare(settings_for(Extent::Step));
  prepared.workload->reset_peak_memory();
  (void)prepared.workload->step();
  EXPECT_GT(prepared.workload->memory().current.count, 0);
  EXPECT_GE(prepared.workload->memory().peak.count,
            0.5 * prepared.workload->memory().current.count);
}

}  // namespace
}  // namespace ridgeline
