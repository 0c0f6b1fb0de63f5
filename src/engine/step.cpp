#include "engine/step.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <c10/core/AutogradState.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/autocast.h"
#include "engine/grad_scaler.h"
#include "engine/optimizer.h"
#include "engine/placement.h"

namespace ridgeline {
namespace {

// Lazy initialisation, autotuning and the optimizer's first touch must be over before a capture.
constexpr int kStepsBeforeCapture = 3;
// Larger than any last-level cache we meet; writing it evicts the rest.
constexpr std::int64_t kCacheFlushBytes = std::int64_t{512} << 20;

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

// "CUDA out of memory. Tried to allocate 2.50 GiB": the allocator goes on for a paragraph.
std::string first_two_sentences(const std::string& text) {
  const auto first = text.find(". ");
  return first == std::string::npos ? text : text.substr(0, text.find(". ", first + 2));
}

// Torch's exceptions become ours at this one place. What a CPU allocation failure throws is a plain
// c10::Error, known only by its text.
template <class Work>
auto translating_errors(Work&& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    throw Error(Fault::Memory, first_two_sentences(first_line(error)));
  } catch (const c10::Error& error) {
    const std::string line = first_line(error);
    const bool memory = line.find("can't allocate memory") != std::string::npos;
    throw Error(memory ? Fault::Memory : Fault::Device, line);
  } catch (const std::bad_alloc&) {
    throw Error(Fault::Memory, "the host has no memory left");
  }
}

class Step final : public Workload {
 public:
  Step(const std::function<std::unique_ptr<Model>()>& make, const RunSettings& settings,
       Backend& backend)
      : settings_(settings),
        backend_(backend),
        scope_(backend.enter(settings.device.index)),
        model_(make()) {
    clock_ = backend_.make_clock(last_mark() + 1);
    // On the calling thread the backward needs no hand-over to autograd's device thread.
    c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
    model_->set_training(settings_.extent != Extent::Inference);
    place_model(*model_, settings_);
    for (int i = 0; i < settings_.accumulation; ++i) {
      batches_.push_back(place_batch(
          model_->synthetic_batch(settings_.seed + static_cast<unsigned>(i)), settings_));
    }
    for (auto& [name, parameter] : model_->parameters()) parameters_.push_back(parameter);
    seed_ = model_->gradient_seed();
    if (seed_.defined() && settings_.precision == Precision::Bf16Pure)
      seed_ = seed_.to(at::kBFloat16);
    if (settings_.extent == Extent::Step) prepare_optimizer();
    if (settings_.cold_cache)
      flush_ = at::empty({kCacheFlushBytes}, batches_[0].first.options().dtype(at::kByte));
    if (settings_.mode == Mode::Graph) capture();
  }

  ~Step() override {
    graph_.reset();
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  StepTimes step() override {
    return translating_errors([&] {
      if (flush_.defined()) flush_.fill_(1);
      if (flush_.defined()) backend_.synchronize();
      const auto start = std::chrono::steady_clock::now();
      if (graph_) {
        graph_->replay();
      } else {
        run();
      }
      const Seconds host = std::chrono::steady_clock::now() - start;
      clock_->wait(last_mark());
      return read_times(host);
    });
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

 private:
  // Marks: the start, after each forward, after each backward, the end.
  [[nodiscard]] std::size_t last_mark() const {
    return 2 * static_cast<std::size_t>(settings_.accumulation) + 1;
  }

  void prepare_optimizer() {
    if (parameters_.empty()) throw Error(Fault::BadInput, "this model has no parameters to train");
    optimizer_ = make_optimizer({.kind = settings_.optimizer}, parameters_);
    if (settings_.precision == Precision::Fp16)
      scaler_ = std::make_unique<GradScaler>(parameters_.front());
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
      if (settings_.extent >= Extent::Backward) backward(loss);
      if (i + 1 == batches_.size() && settings_.extent == Extent::Backward) drop_grads();
      clock_->mark(2 * i + 2);
    }
    if (settings_.extent == Extent::Step) update();
    clock_->mark(last_mark());
  }

  at::Tensor forward(const std::pair<at::Tensor, at::Tensor>& batch) {
    const at::AutoGradMode grad(settings_.extent != Extent::Inference);
    const AutocastScope autocast(settings_.device.kind, settings_.precision);
    if (settings_.extent == Extent::Inference || !batch.second.defined())
      return model_->forward(batch.first);
    return model_->loss(batch.first, batch.second);
  }

  void backward(const at::Tensor& loss) {
    if (seed_.defined()) return loss.backward(seed_);
    at::Tensor scaled = settings_.accumulation > 1 ? loss.div(settings_.accumulation) : loss;
    if (scaler_) scaled = scaler_->scale(scaled);
    scaled.backward();
  }

  void update() {
    if (scaler_) {
      scaler_->unscale(parameters_);
      optimizer_->update(&scaler_->found_inf());
      scaler_->adapt();
    } else {
      optimizer_->update(nullptr);
    }
    drop_grads();
  }

  // Dropped rather than zeroed: the next backward then writes them without reading.
  void drop_grads() {
    for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
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
  std::unique_ptr<Model> model_;
  std::vector<std::pair<at::Tensor, at::Tensor>> batches_;
  Tensors parameters_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<GradScaler> scaler_;
  at::Tensor seed_;  // what a loss that is no scalar is differentiated with
  at::Tensor flush_;
  std::unique_ptr<CapturedWork> graph_;
};

}  // namespace

void apply_process_settings(const RunSettings& settings, Backend& backend) {
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  at::globalContext().setDeterministicAlgorithms(settings.deterministic, /*warn_only=*/false);
  at::globalContext().setDeterministicCuDNN(settings.deterministic);
  at::globalContext().setBenchmarkCuDNN(settings.cudnn_benchmark);
  backend.set_tf32(settings.precision == Precision::Tf32);
}

std::unique_ptr<Workload> make_step(const std::function<std::unique_ptr<Model>()>& make,
                                    const RunSettings& settings, Backend& backend) {
  return translating_errors([&]() -> std::unique_ptr<Workload> {
    return std::make_unique<Step>(make, settings, backend);
  });
}

}  // namespace ridgeline
