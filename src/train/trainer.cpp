#include "train/trainer.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include "core/error.h"
#include "engine/autocast.h"
#include "engine/learner.h"
#include "engine/placement.h"
#include "engine/scope.h"
#include "engine/step.h"
#include "engine/translate.h"
#include "models/make.h"
#include "train/arrays.h"
#include "train/device_batch.h"
#include "train/device_totals.h"
#include "train/state_dict.h"
#include "train/step_timer.h"
#include "train/weight_average.h"

namespace ridgeline {
namespace {

class [[nodiscard]] Range {
 public:
  Range(Backend& backend, const char* name) : backend_(backend) { backend_.push_range(name); }
  ~Range() { backend_.pop_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Backend& backend_;
};

std::unique_ptr<Model> build(const ModelSpec& spec, const TrainSettings& settings,
                             Backend& backend) {
  const RunSettings& run = settings.run;
  const ModelContext context{
      .ops = run.kernels == Kernels::Fused ? backend.fused(plain_ops()) : plain_ops(),
      .activation_checkpointing = run.activation_checkpointing,
      .device = run.device};
  return make_model(spec, context, run.seed);
}

class TorchTrainer final : public Trainer {
 public:
  TorchTrainer(const ModelSpec& spec, const TrainSettings& settings, Backend& backend)
      : settings_(settings),
        backend_(backend),
        scope_(backend.enter(settings.run.device.index)),
        classifies_(std::holds_alternative<ResNetSpec>(spec)),
        learner_(build(spec, settings, backend), settings.run, settings.optimizer),
        batches_(settings, backend),
        totals_(learner_.parameters().front()),
        timer_(backend, captures() ? 0 : micro_batches()) {
    learner_.model().set_training(true);
    const auto on_device = learner_.parameters().front().options().requires_grad(false);
    rates_ =
        at::tensor(at::ArrayRef<float>(settings.learning_rates)).to(on_device.dtype(at::kFloat));
    next_ = at::zeros({1}, on_device.dtype(at::kLong));
    if (settings.ema_decay > 0)
      average_ = std::make_unique<WeightAverage>(learner_.model(), settings.ema_decay);
    if (captures()) phase_clock_ = backend.make_clock(points_a_step(micro_batches()));
    if (settings.survive_bad_steps) keep_statistics();
  }

  ~TorchTrainer() override { graph_.reset(); }
  TorchTrainer(const TorchTrainer&) = delete;
  TorchTrainer& operator=(const TorchTrainer&) = delete;

  void upload(const HostBatch& batch, std::size_t micro) override {
    translating_errors([&] { batches_.upload(batch, micro); });
  }

  void keep_images(const ImageArray& images, const TransformOptions& transform,
                   const ResidentShape& shape) override {
    translating_errors([&] { batches_.keep(images, transform, shape); });
  }
  void begin_epoch(std::span<const SamplePlan> plans) override {
    translating_errors([&] { batches_.begin_epoch(plans); });
  }

  void step() override {
    RIDGELINE_CHECK(taken_ < std::ssize(settings_.learning_rates));
    translating_errors([&] {
      if (profile_next_) {
        backend_.synchronize();
        backend_.start_profiler();
      }
      if (BlockListener* const listener = block_listener.load(std::memory_order_acquire))
        name_blocks(*listener);
      {
        const bool warms_up = settings_.profiles_steps && !profile_next_;
        const Range whole(backend_, warms_up ? "warmup_step" : "train_step");
        captures() ? run_captured() : run([&](std::size_t point) { timer_.mark(point); });
      }
      batches_.consumed();
      if (profile_next_) {
        backend_.synchronize();
        backend_.stop_profiler();
        profile_next_ = false;
      }
    });
    ++taken_;
  }

  void wait() override {
    translating_errors([&] { backend_.synchronize(); });
  }

  TrainTotals take_totals() override {
    TrainTotals totals;
    translating_errors([&] { totals = totals_.take(); });
    return totals;
  }

  TrainTimes take_times() override {
    TrainTimes times = timer_.take();
    if (captures() && times.steps > 0) add_phases(times, *phase_clock_, 0, micro_batches());
    return times;
  }

  void begin_evaluation() override {
    learner_.model().set_training(false);
    mirrors_ = settings_.mirror_test;
    if (average_) average_->exchange();
  }
  void end_evaluation() override {
    mirrors_ = false;
    if (average_) average_->exchange();
    learner_.model().set_training(true);
  }

  void evaluate(const HostBatch& batch) override {
    translating_errors([&] {
      const at::NoGradGuard no_grad;
      batches_.upload(batch, 0);
      (void)forward(batches_.prepared(0), /*smoothing=*/0);
      batches_.consumed();
    });
  }

  std::vector<float> predict(const HostBatch& batch) override {
    std::vector<float> rows;
    translating_errors([&] {
      const at::NoGradGuard no_grad;
      batches_.upload(batch, 0);
      const AutocastScope autocast(settings_.run.device.kind, settings_.run.precision);
      const at::Tensor logits =
          classify(batches_.prepared(0).first).to(at::kCPU, at::kFloat).contiguous();
      batches_.consumed();
      rows.assign(logits.const_data_ptr<float>(), logits.const_data_ptr<float>() + logits.numel());
    });
    return rows;
  }

  [[nodiscard]] std::int64_t steps_taken() const override { return taken_; }

  Value state() override {
    Value state;
    translating_errors([&] { state = save_state(learner_, settings_.optimizer, average_.get()); });
    return state;
  }

  void restore(const Value& state, std::int64_t steps_taken) override {
    translating_errors([&] {
      restore_state(learner_, average_.get(), state);
      taken_ = steps_taken;
      next_.fill_(steps_taken);
      for (auto& [live, kept] : statistics_) kept.copy_(live);
    });
  }

  NamedArrays weights() override {
    NamedArrays arrays;
    translating_errors([&] {
      if (average_) average_->exchange();
      for (const auto& [name, tensor] : state_tensors(learner_.model()))
        arrays.emplace_back(name, to_array(tensor));
      if (average_) average_->exchange();
    });
    return arrays;
  }

  LoadedWeights load_weights(const NamedArrays& arrays) override {
    LoadedWeights report;
    translating_errors([&] {
      report = load_state(learner_.model(), arrays);
      if (average_)
        average_ = std::make_unique<WeightAverage>(learner_.model(), settings_.ema_decay);
      for (auto& [live, kept] : statistics_) kept.copy_(live);
    });
    return report;
  }

  bool is_finite() override {
    bool finite = true;
    translating_errors([&] {
      // One number for all, so that a device is waited for once.
      Tensors verdicts;
      for (const auto& [name, tensor] : state_tensors(learner_.model()))
        verdicts.push_back(tensor.isfinite().all());
      finite = at::stack(verdicts).all().item<bool>();
    });
    return finite;
  }

  [[nodiscard]] MemoryUse memory() const override { return backend_.memory(); }
  void reset_peak_memory() override { backend_.reset_peak_memory(); }
  void profile_next_step() override { profile_next_ = true; }

 private:
  [[nodiscard]] bool captures() const { return settings_.run.mode == Mode::Graph; }
  [[nodiscard]] std::size_t micro_batches() const {
    return static_cast<std::size_t>(settings_.run.accumulation);
  }

  template <class Mark>
  void run(const Mark& mark) {
    mark(0);
    for (std::size_t micro = 0; micro < micro_batches(); ++micro) {
      at::Tensor loss;
      {
        const PhaseScope phase(StepPhase::Forward);
        loss = forward(batch(micro), settings_.label_smoothing);
      }
      mark(2 * micro + 1);
      {
        const Range range(backend_, "backward");
        learner_.backward(loss);
      }
      mark(2 * micro + 2);
    }
    update();
    mark(points_a_step(micro_batches()) - 1);
  }

  std::pair<at::Tensor, at::Tensor> batch(std::size_t micro) {
    auto ready = batches_.resident() ? batches_.made(micro, next_)
                 : captures()        ? batches_.fixed(micro)
                                     : batches_.prepared(micro);
    if (BlockListener* const listener = block_listener.load(std::memory_order_acquire)) {
      name_memory(*listener, ready.first, MemoryKind::Input);
      name_memory(*listener, ready.second, MemoryKind::Input);
    }
    return ready;
  }

  void name_blocks(BlockListener& listener) const {
    learner_.name_memory(listener);
    batches_.name_memory(listener);
    if (average_) name_memory(listener, average_->tensors(), MemoryKind::Buffer);
    for (const auto& [live, kept] : statistics_) name_memory(listener, kept, MemoryKind::Buffer);
    name_memory(listener, rates_, MemoryKind::Buffer);
    name_memory(listener, next_, MemoryKind::Buffer);
  }

  at::Tensor classify(const at::Tensor& images) {
    at::Tensor logits = learner_.model().forward(images);
    if (!mirrors_) return logits;
    return logits.add(learner_.model().forward(images.flip(3))).div(2);
  }

  at::Tensor forward(const std::pair<at::Tensor, at::Tensor>& batch, double smoothing) {
    const auto& [input, target] = batch;
    at::Tensor output;
    {
      const Range range(backend_, "forward");
      const AutocastScope autocast(settings_.run.device.kind, settings_.run.precision);
      output = classifies_ ? classify(input) : learner_.model().loss(input, target);
    }
    if (!classifies_) {
      totals_.add(output, nullptr, input.size(0));
      return output;
    }
    const Range range(backend_, "loss");
    at::Tensor loss = at::cross_entropy_loss(output.to(at::kFloat), target, {}, at::Reduction::Mean,
                                             /*ignore_index=*/-100, smoothing);
    const at::Tensor hits = output.detach().argmax(1).eq(target).sum();
    totals_.add(loss, &hits, input.size(0));
    return loss;
  }

  void update() {
    const Range range(backend_, "optimizer_step");
    learner_.optimizer().learning_rate().copy_(rates_.index_select(0, next_).squeeze(0));
    const at::Tensor& skip = totals_.close_step(next_.squeeze(0));
    learner_.update({.skip = &skip, .clip_norm = settings_.clip_norm});
    if (!statistics_.empty()) guard_statistics(skip);
    if (average_) average_->update();
    next_.add_(1);
  }

  void keep_statistics() {
    for (const auto& [name, buffer] : learner_.model().buffers())
      statistics_.emplace_back(buffer, buffer.clone());
  }

  void guard_statistics(const at::Tensor& skip) {
    const at::Tensor skipped = skip.ne(0);
    for (auto& [live, kept] : statistics_) {
      live.copy_(at::where(skipped, kept, live));
      kept.copy_(live);
    }
  }

  void run_captured() {
    if (!batches_.resident()) batches_.settle();
    const auto body = [&] { run([&](std::size_t point) { phase_clock_->mark(point); }); };
    if (!graph_ && captured_after_++ >= kStepsBeforeCapture) {
      backend_.synchronize();
      backend_.release_cached_memory();
      graph_ = backend_.capture(body);
    }
    timer_.mark(0);
    graph_ ? graph_->replay() : body();
    timer_.mark(1);
  }

  TrainSettings settings_;
  Backend& backend_;
  std::unique_ptr<DeviceScope> scope_;
  bool classifies_;
  Learner learner_;
  DeviceBatches batches_;
  DeviceTotals totals_;
  StepTimer timer_;
  std::unique_ptr<StepClock> phase_clock_;  // of the captured step's inside
  std::unique_ptr<WeightAverage> average_;
  bool mirrors_ = false;
  std::vector<std::pair<at::Tensor, at::Tensor>> statistics_;  // live, and as before the step
  at::Tensor rates_;
  at::Tensor next_;  // the step to take, on the device
  std::int64_t taken_ = 0;
  std::int64_t captured_after_ = 0;
  bool profile_next_ = false;
  std::unique_ptr<CapturedWork> graph_;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::Trainer* ridgeline_make_trainer(const ridgeline::ModelSpec& spec,
                                                      const ridgeline::TrainSettings& settings,
                                                      ridgeline::Backend& backend) {
  using namespace ridgeline;
  if (!std::holds_alternative<ResNetSpec>(spec) && !std::holds_alternative<TransformerSpec>(spec))
    throw bad_input("this model cannot be trained: it has no weights or no loss");
  apply_process_settings(settings.run, backend);
  if (settings.run.mode == Mode::Graph) {
    if (const auto obstacle = backend.capture_obstacle()) throw Error(Fault::Device, *obstacle);
  }
  std::unique_ptr<Trainer> trainer;
  translating_errors([&] { trainer = std::make_unique<TorchTrainer>(spec, settings, backend); });
  return trainer.release();
}
