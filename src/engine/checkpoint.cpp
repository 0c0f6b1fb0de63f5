#include "engine/checkpoint.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "engine/backward.h"

namespace ridgeline {
namespace {

using Block = std::function<Tensors(const Tensors&)>;

thread_local bool t_recomputing = false;

class [[nodiscard]] RecomputingScope {
 public:
  RecomputingScope() : outer_(std::exchange(t_recomputing, true)) {}
  ~RecomputingScope() { t_recomputing = outer_; }
  RecomputingScope(const RecomputingScope&) = delete;
  RecomputingScope& operator=(const RecomputingScope&) = delete;

 private:
  bool outer_;
};

// State of the random generators of the CPU and of the device the inputs lie on.
class RandomState {
 public:
  explicit RandomState(std::optional<at::Device> device)
      : cpu_(generator(at::Device(at::kCPU))), cpu_state_(state_of(cpu_)) {
    if (!device) return;
    device_ = generator(*device);
    device_state_ = state_of(device_);
  }

  void restore() {
    put(cpu_, cpu_state_);
    if (device_.defined()) put(device_, device_state_);
  }

 private:
  static at::Generator generator(at::Device device) {
    return at::globalContext().defaultGenerator(device);
  }
  static at::Tensor state_of(at::Generator& generator) {
    const std::lock_guard lock(generator.mutex());
    return generator.get_state();
  }
  static void put(at::Generator& generator, const at::Tensor& state) {
    const std::lock_guard lock(generator.mutex());
    generator.set_state(state);
  }

  at::Generator cpu_;
  at::Tensor cpu_state_;
  at::Generator device_;
  at::Tensor device_state_;
};

// Runs the second pass with the random numbers of the first, then lets the generators go on from
// where they were.
class [[nodiscard]] RandomScope {
 public:
  RandomScope(RandomState first_pass, std::optional<at::Device> device) : now_(device) {
    first_pass.restore();
  }
  ~RandomScope() { now_.restore(); }
  RandomScope(const RandomScope&) = delete;
  RandomScope& operator=(const RandomScope&) = delete;

 private:
  RandomState now_;
};

struct AutocastState {
  at::DeviceType device;
  bool enabled;
  at::ScalarType dtype;

  static AutocastState of(at::DeviceType device) {
    return {device, at::autocast::is_autocast_enabled(device),
            at::autocast::get_autocast_dtype(device)};
  }
  void restore() const {
    at::autocast::set_autocast_enabled(device, enabled);
    at::autocast::set_autocast_dtype(device, dtype);
  }
};

// Puts an autocast state in force with its cache of cast weights off: a cast made by the first
// pass, which records no graph, would otherwise be handed to code that wants its gradient.
class [[nodiscard]] AutocastStateScope {
 public:
  explicit AutocastStateScope(const AutocastState& state)
      : outer_(AutocastState::of(state.device)),
        outer_cache_(at::autocast::is_autocast_cache_enabled()) {
    state.restore();
    at::autocast::set_autocast_cache_enabled(false);
  }
  ~AutocastStateScope() {
    outer_.restore();
    at::autocast::set_autocast_cache_enabled(outer_cache_);
  }
  AutocastStateScope(const AutocastStateScope&) = delete;
  AutocastStateScope& operator=(const AutocastStateScope&) = delete;

 private:
  AutocastState outer_;
  bool outer_cache_;
};

// What the second pass needs besides the block's inputs.
struct FirstPass : torch::CustomClassHolder {
  FirstPass(Block the_block, std::optional<at::Device> the_device)
      : block(std::move(the_block)),
        device(the_device),
        random(device),
        autocast(AutocastState::of(device ? device->type() : at::kCPU)) {}

  Block block;
  std::optional<at::Device> device;  // absent: the CPU
  RandomState random;
  AutocastState autocast;
};

std::optional<at::Device> device_of(const Tensors& inputs) {
  for (const at::Tensor& input : inputs) {
    if (input.defined() && !input.is_cpu()) return input.device();
  }
  return std::nullopt;
}

Tensors fresh_leaves(const Tensors& saved) {
  Tensors leaves;
  leaves.reserve(saved.size());
  for (const at::Tensor& tensor : saved) {
    leaves.push_back(tensor.detach().requires_grad_(tensor.requires_grad()));
  }
  return leaves;
}

Tensors recompute(const FirstPass& first, const Tensors& leaves) {
  const RecomputingScope recomputing_scope;
  const RandomScope random(first.random, first.device);
  const AutocastStateScope autocast(first.autocast);
  const at::AutoGradMode grad_mode(true);
  return first.block(leaves);
}

class Checkpoint final : public torch::autograd::Function<Checkpoint> {
 public:
  static Tensors forward(torch::autograd::AutogradContext* context,
                         const c10::intrusive_ptr<FirstPass>& first, at::TensorList inputs,
                         const at::Tensor& /*gradient_anchor*/) {
    context->saved_data["first"] = c10::IValue::make_capsule(first);
    context->save_for_backward(inputs.vec());
    context->set_materialize_grads(false);
    const AutocastStateScope autocast(first->autocast);
    return first->block(inputs.vec());
  }

  static Tensors backward(torch::autograd::AutogradContext* context, Tensors output_grads) {
    const auto holder = context->saved_data["first"].toCapsule();
    const auto& first = static_cast<const FirstPass&>(*holder);
    const Tensors leaves = fresh_leaves(context->get_saved_variables());
    const Tensors outputs = recompute(first, leaves);
    Tensors roots;
    Tensors grads;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].requires_grad() || !output_grads[i].defined()) continue;
      roots.push_back(outputs[i]);
      grads.push_back(std::move(output_grads[i]));
    }
    if (!roots.empty()) differentiate(roots, std::move(grads));
    Tensors input_grads(1);  // none for `first`
    for (const at::Tensor& leaf : leaves) input_grads.push_back(leaf.grad());
    input_grads.emplace_back();  // none for the anchor
    return input_grads;
  }
};

}  // namespace

bool recomputing() noexcept { return t_recomputing; }

Tensors checkpoint(Block block, const Tensors& inputs) {
  if (!at::GradMode::is_enabled()) return block(inputs);
  // Where no input asks for a gradient (a model's first block) this one does, so that the block's
  // parameters still get theirs.
  const at::Tensor anchor = at::empty({0}).requires_grad_(true);
  const auto first = c10::make_intrusive<FirstPass>(std::move(block), device_of(inputs));
  return Checkpoint::apply(first, at::TensorList(inputs), anchor);
}

}  // namespace ridgeline
