#include "train/device_totals.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

namespace ridgeline {

// `sums` holds loss, hits and samples of finite losses, samples of others, bad steps and the first
// bad step + 1: one copy reads them all.
struct DeviceTotals::State {
  at::Tensor sums;
  at::Tensor bad;   // of the step that is open, 0 or 1
  at::Tensor skip;  // of the step last closed
};

namespace {
enum Place : std::int64_t { kLoss, kHits, kSamples, kBadSamples, kBadSteps, kFirstBad, kPlaces };
}

DeviceTotals::DeviceTotals(const at::Tensor& like)
    : state_(std::make_unique<State>(State{
          .sums = at::zeros({kPlaces}, like.options().dtype(at::kDouble).requires_grad(false)),
          .bad = at::zeros({}, like.options().dtype(at::kFloat).requires_grad(false)),
          .skip = at::zeros({}, like.options().dtype(at::kFloat).requires_grad(false))})) {}

DeviceTotals::~DeviceTotals() = default;

void DeviceTotals::add(const at::Tensor& loss, const at::Tensor* hits, std::int64_t samples) {
  const at::NoGradGuard no_grad;
  const at::Tensor value = loss.detach().to(at::kDouble);
  const at::Tensor good = value.isfinite();
  at::maximum_out(state_->bad, state_->bad, good.logical_not().to(at::kFloat));
  state_->sums.select(0, kLoss).add_(at::nan_to_num(value, 0, 0, 0), samples);
  if (hits != nullptr) state_->sums.select(0, kHits).add_(hits->mul(good));
  state_->sums.select(0, kSamples).add_(good, samples);
  state_->sums.select(0, kBadSamples).add_(good.logical_not(), samples);
}

const at::Tensor& DeviceTotals::close_step(const at::Tensor& step) {
  const at::NoGradGuard no_grad;
  state_->skip.copy_(state_->bad);
  state_->bad.zero_();
  state_->sums.select(0, kBadSteps).add_(state_->skip);
  at::Tensor first = state_->sums.select(0, kFirstBad);
  const at::Tensor unset = first.eq(0).logical_and_(state_->skip.ne(0));
  first.copy_(at::where(unset, step.to(at::kDouble) + 1, first));
  return state_->skip;
}

TrainTotals DeviceTotals::take() {
  const at::Tensor sums = state_->sums.to(at::kCPU, at::kDouble, /*non_blocking=*/false,
                                          /*copy=*/true);
  state_->sums.zero_();
  state_->bad.zero_();
  const auto at = [&](Place place) { return sums.const_data_ptr<double>()[place]; };
  return {.loss = at(kLoss),
          .correct = static_cast<std::int64_t>(at(kHits)),
          .samples = static_cast<std::int64_t>(at(kSamples)),
          .bad_samples = static_cast<std::int64_t>(at(kBadSamples)),
          .bad_steps = static_cast<std::int64_t>(at(kBadSteps)),
          .first_bad_step = static_cast<std::int64_t>(at(kFirstBad)) - 1};
}

}  // namespace ridgeline
