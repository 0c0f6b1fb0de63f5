#include "engine/muon.h"

#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "engine/muon_plan.h"
#include "engine/newton_schulz.h"

namespace ridgeline {
namespace {

// A parameter as a matrix, its columns in the order in which they lie in memory: orthogonalising
// does not depend on their order, so filters in channels-last layout need no copy.
MatrixShape shape_of(const at::Tensor& parameter) {
  const std::int64_t rows = parameter.size(0);
  const std::int64_t columns = rows > 0 ? parameter.numel() / rows : 0;
  RIDGELINE_CHECK(columns > 0);
  RIDGELINE_CHECK(parameter.is_non_overlapping_and_dense());
  RIDGELINE_CHECK(rows == 1 || parameter.stride(0) == columns);
  return {.rows = rows, .columns = columns};
}

bool laid_out_alike(const at::Tensor& a, const at::Tensor& b) {
  for (std::int64_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) != 1 && a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

at::Tensor gradient_as_matrix(const at::Tensor& parameter, const MatrixShape& shape) {
  at::Tensor grad = parameter.grad();
  if (!laid_out_alike(grad, parameter))
    grad = at::empty_strided(parameter.sizes(), parameter.strides(), grad.options()).copy_(grad);
  return grad.as_strided({shape.rows, shape.columns}, {shape.columns, 1});
}

// One of a stack with the sizes and strides of its parameter, so that both go through one kernel.
at::Tensor as_parameter(const at::Tensor& stack, std::int64_t place, const at::Tensor& parameter) {
  return stack.as_strided(parameter.sizes(), parameter.strides(),
                          stack.storage_offset() + place * stack.stride(0));
}

class Muon final : public Optimizer {
 public:
  Muon(const OptimizerOptions& options, const Tensors& parameters,
       const std::vector<std::size_t>& matrices)
      : options_(options) {
    if (matrices.empty())
      throw bad_input(
          "--optimizer muon: this model has no hidden matrices; sgd and adamw need none");
    if (!(options.learning_rate > 0))
      throw bad_input(
          "--optimizer muon: the rate of the rest, whose schedule it follows, must be above zero");
    state_.first.resize(parameters.size());
    state_.second.resize(parameters.size());
    make_rest(parameters, matrices);
    rate_ = rest_ ? rest_->learning_rate()
                  : at::full({}, options.learning_rate,
                             parameters.front().options().dtype(at::kFloat).requires_grad(false));
    make_stacks(parameters, matrices);
  }

  void update(const at::Tensor* found_inf) override {
    const at::NoGradGuard no_grad;
    if (rest_) rest_->update(found_inf);
    at::Tensor rate = rate_.mul(rate_factor());
    at::Tensor skipped;
    if (found_inf != nullptr) {
      skipped = found_inf->ne(0);
      rate = rate.masked_fill(skipped, 0);
    }
    const at::Tensor kept = rate.mul(-options_.muon_weight_decay).add(1);
    for (Stack& stack : stacks_) update(stack, rate, kept, skipped);
  }

  void set_learning_rate(double rate) override { rate_.fill_(rate); }
  [[nodiscard]] at::Tensor& learning_rate() override { return rate_; }
  [[nodiscard]] OptimizerState state() const override { return state_; }

 private:
  // Matrices of one shape and dtype.
  struct Stack {
    MatrixShape shape;
    Tensors parameters;
    at::Tensor momentum;  // (count, rows, columns)
  };

  [[nodiscard]] double rate_factor() const {
    return options_.muon_learning_rate / options_.learning_rate;
  }

  void make_rest(const Tensors& parameters, const std::vector<std::size_t>& matrices) {
    state_.groups.push_back({.kind = OptimizerKind::Muon,
                             .rate_factor = rate_factor(),
                             .weight_decay = options_.muon_weight_decay,
                             .parameters = matrices});
    const std::set<std::size_t> taken(matrices.begin(), matrices.end());
    std::vector<std::size_t> places;
    Tensors rest;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (taken.contains(i)) continue;
      places.push_back(i);
      rest.push_back(parameters[i]);
    }
    if (rest.empty()) return;
    OptimizerOptions options = options_;
    options.kind = options_.rest;
    RIDGELINE_CHECK(options.kind != OptimizerKind::Muon);
    rest_ = make_optimizer(options, rest);
    OptimizerState state = rest_->state();
    for (std::size_t i = 0; i < places.size(); ++i) {
      state_.first[places[i]] = state.first[i];
      if (!state.second.empty()) state_.second[places[i]] = state.second[i];
    }
    state_.steps = state.steps;
    for (DecayGroup& group : state.groups) {
      for (std::size_t& place : group.parameters) place = places[place];
      state_.groups.push_back(std::move(group));
    }
  }

  void make_stacks(const Tensors& parameters, const std::vector<std::size_t>& matrices) {
    std::map<std::pair<at::ScalarType, MatrixShape>, std::vector<std::size_t>> alike;
    for (const std::size_t place : matrices)
      alike[{parameters[place].scalar_type(), shape_of(parameters[place])}].push_back(place);
    for (const auto& [key, places] : alike) {
      const auto most = static_cast<std::size_t>(matrices_a_stack(key.second));
      for (std::size_t first = 0; first < places.size(); first += most) {
        const std::size_t end = std::min(places.size(), first + most);
        make_stack(key.second, parameters,
                   {places.begin() + static_cast<std::ptrdiff_t>(first),
                    places.begin() + static_cast<std::ptrdiff_t>(end)});
      }
    }
  }

  void make_stack(const MatrixShape& shape, const Tensors& parameters,
                  const std::vector<std::size_t>& places) {
    Stack stack{.shape = shape, .parameters = {}, .momentum = {}};
    const auto count = static_cast<std::int64_t>(places.size());
    stack.momentum = at::zeros({count, shape.rows, shape.columns},
                               parameters[places.front()].options().requires_grad(false));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::size_t place = places[static_cast<std::size_t>(i)];
      stack.parameters.push_back(parameters[place]);
      state_.first[place] = as_parameter(stack.momentum, i, parameters[place]);
    }
    stacks_.push_back(std::move(stack));
  }

  // `rate` is zero where the step is skipped; the momentum is then mixed with itself, which leaves
  // its bits, and no gradient that is not finite gets anywhere.
  void update(Stack& stack, const at::Tensor& rate, const at::Tensor& kept,
              const at::Tensor& skipped) const {
    Tensors matrices;
    for (const at::Tensor& parameter : stack.parameters)
      matrices.push_back(gradient_as_matrix(parameter, stack.shape));
    at::Tensor change = at::stack(matrices);
    if (skipped.defined()) change = at::where(skipped, stack.momentum, change);
    stack.momentum.lerp_(change, 1 - options_.muon_momentum);
    change.lerp_(stack.momentum, options_.muon_momentum);
    change.copy_(orthogonalised(change));
    // A tall matrix cannot have orthogonal rows: this keeps the size of a change of an output.
    const double tall =
        static_cast<double>(stack.shape.rows) / static_cast<double>(stack.shape.columns);
    change.mul_(rate.mul(std::sqrt(std::max(1.0, tall))));
    Tensors changes;
    for (std::size_t i = 0; i < stack.parameters.size(); ++i)
      changes.push_back(as_parameter(change, static_cast<std::int64_t>(i), stack.parameters[i]));
    at::_foreach_mul_(stack.parameters, kept);
    at::_foreach_sub_(stack.parameters, changes);
  }

  OptimizerOptions options_;
  std::unique_ptr<Optimizer> rest_;  // none: every parameter is a matrix
  at::Tensor rate_;                  // of the rest, which all schedules are about
  OptimizerState state_;
  std::vector<Stack> stacks_;
};

}  // namespace

std::unique_ptr<Optimizer> make_muon(const OptimizerOptions& options, const Tensors& parameters,
                                     const std::vector<std::size_t>& matrices) {
  return std::make_unique<Muon>(options, parameters, matrices);
}

}  // namespace ridgeline
