#include "engine/step.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/autocast.h"
#include "engine/learner.h"
#include "engine/placement.h"
#include "engine/scope.h"
#include "engine/translate.h"

namespace ridgeline {
namespace {

// Lazy initialisation, autotuning and the optimizer's first touch must be over before a capture.
constexpr int kStepsBeforeCapture = 3;
// Larger than any last-level cache we meet; writing it evicts the rest.
constexpr std::int64_t kCacheFlushBytes = std::int64_t{512} << 20;

// Beside Muon goes what the model's family is usually trained by. Those with inputs among their
// parameters look tokens up.
Learner make_learner(const std::function<std::unique_ptr<Model>()>& make,
                     const RunSettings& settings) {
  std::unique_ptr<Model> model = make();
  if (settings.extent != Extent::Step) return {std::move(model), settings, std::nullopt};
  const bool tokens = !model->ends().inputs.empty();
  return {std::move(model), settings,
          OptimizerOptions{.kind = settings.optimizer,
                           .rest = tokens ? OptimizerKind::AdamW : OptimizerKind::Sgd}};
}

class Step final : public Workload {
 public:
  Step(const std::function<std::unique_ptr<Model>()>& make, const RunSettings& settings,
       Backend& backend)
      : settings_(settings),
        backend_(backend),
        scope_(backend.enter(settings.device.index)),
        learner_(make_learner(make, settings)) {
    clock_ = backend_.make_clock(last_mark() + 1);
    model().set_training(settings_.extent != Extent::Inference);
    for (int i = 0; i < settings_.accumulation; ++i) {
      batches_.push_back(place_batch(
          model().synthetic_batch(settings_.seed + static_cast<unsigned>(i)), settings_));
    }
    if (settings_.cold_cache)
      flush_ = at::empty({kCacheFlushBytes}, batches_[0].first.options().dtype(at::kByte));
    if (settings_.mode == Mode::Graph) capture();
  }

  // The graph's memory goes before the gradients that lie in it.
  ~Step() override { graph_.reset(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  StepTimes step() override {
    StepTimes times;
    translating_errors([&] {
      if (flush_.defined()) flush_.fill_(1);
      if (flush_.defined()) backend_.synchronize();
      if (BlockListener* const listener = block_listener.load(std::memory_order_acquire))
        name_blocks(*listener);
      const auto start = std::chrono::steady_clock::now();
      if (graph_) {
        graph_->replay();
      } else {
        run();
      }
      const Seconds host = std::chrono::steady_clock::now() - start;
      clock_->wait(last_mark());
      times = read_times(host);
    });
    return times;
  }

  [[nodiscard]] MemoryUse memory() const override { return backend_.memory(); }
  void reset_peak_memory() override { backend_.reset_peak_memory(); }
  void activate() override { apply_process_settings(settings_, backend_); }

  void grow_memory(Bytes bytes) override {
    translating_errors([&] {
      at::empty({static_cast<std::int64_t>(bytes.count)},
                batches_[0].first.options().dtype(at::kByte))
          .fill_(1);
      backend_.synchronize();
    });
  }

  void keep_state() override {
    translating_errors([&] {
      const at::NoGradGuard no_grad;
      kept_.clear();
      for (const at::Tensor& tensor : learner_.lasting()) kept_.push_back(tensor.clone());
      backend_.synchronize();
    });
  }
  void restore_state() override {
    translating_errors([&] {
      const at::NoGradGuard no_grad;
      const Tensors lasting = learner_.lasting();
      RIDGELINE_CHECK(lasting.size() == kept_.size());
      for (std::size_t i = 0; i < kept_.size(); ++i) at::Tensor(lasting[i]).copy_(kept_[i]);
      backend_.synchronize();
    });
  }

 private:
  // Marks: the start, after each forward, after each backward, the end.
  [[nodiscard]] std::size_t last_mark() const {
    return 2 * static_cast<std::size_t>(settings_.accumulation) + 1;
  }

  [[nodiscard]] Model& model() { return learner_.model(); }

  void name_blocks(BlockListener& listener) const {
    learner_.name_memory(listener);
    for (const auto& [input, target] : batches_) {
      name_memory(listener, input, MemoryKind::Input);
      name_memory(listener, target, MemoryKind::Input);
    }
    name_memory(listener, flush_, MemoryKind::Buffer);
  }

  void capture() {
    if (const auto obstacle = backend_.capture_obstacle()) throw Error(Fault::Device, *obstacle);
    for (int i = 0; i < kStepsBeforeCapture; ++i) run();
    backend_.synchronize();
    backend_.release_cached_memory();
    graph_ = backend_.capture([this] { run(); });
  }

  void run() {
    clock_->mark(0);
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      const at::Tensor loss = forward(batches_[i]);
      clock_->mark(2 * i + 1);
      if (settings_.extent >= Extent::Backward) learner_.backward(loss);
      if (i + 1 == batches_.size() && settings_.extent == Extent::Backward) learner_.drop_grads();
      clock_->mark(2 * i + 2);
    }
    if (settings_.extent == Extent::Step) learner_.update();
    clock_->mark(last_mark());
  }

  at::Tensor forward(const std::pair<at::Tensor, at::Tensor>& batch) {
    const PhaseScope phase(StepPhase::Forward);
    const at::AutoGradMode grad(settings_.extent != Extent::Inference);
    const AutocastScope autocast(settings_.device.kind, settings_.precision);
    if (settings_.extent == Extent::Inference || !batch.second.defined())
      return model().forward(batch.first);
    return model().loss(batch.first, batch.second);
  }

  [[nodiscard]] StepTimes read_times(Seconds host) const {
    StepTimes times{.total = clock_->between(0, last_mark()), .host = host};
    for (std::size_t i = 0; i < batches_.size(); ++i) {
      times.forward += clock_->between(2 * i, 2 * i + 1);
      times.backward += clock_->between(2 * i + 1, 2 * i + 2);
    }
    times.optimizer = clock_->between(last_mark() - 1, last_mark());
    // Between the marks of a phase that did not run lies only the cost of marking.
    if (settings_.extent < Extent::Step)
      times.backward += std::exchange(times.optimizer, Seconds{0});
    if (settings_.extent < Extent::Backward)
      times.forward += std::exchange(times.backward, Seconds{0});
    return times;
  }

  RunSettings settings_;
  Backend& backend_;
  std::unique_ptr<DeviceScope> scope_;
  std::unique_ptr<StepClock> clock_;
  Learner learner_;
  std::vector<std::pair<at::Tensor, at::Tensor>> batches_;
  at::Tensor flush_;
  Tensors kept_;
  std::unique_ptr<CapturedWork> graph_;
};

}  // namespace

void apply_process_settings(const RunSettings& settings, Backend& backend) {
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  at::globalContext().setDeterministicAlgorithms(settings.deterministic, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(settings.deterministic);
  at::globalContext().setUserEnabledCuDNN(settings.cudnn);
  at::globalContext().setSDPUseCuDNN(settings.cudnn);
  at::globalContext().setBenchmarkCuDNN(settings.cudnn_benchmark);
  backend.set_tf32(settings.precision == Precision::Tf32);
}

std::unique_ptr<Workload> make_step(const std::function<std::unique_ptr<Model>()>& make,
                                    const RunSettings& settings, Backend& backend) {
  std::unique_ptr<Workload> step;
  translating_errors([&] { step = std::make_unique<Step>(make, settings, backend); });
  return step;
}

}  // namespace ridgeline
