#include "models/update_cost.h"

#include <algorithm>
#include <map>

namespace ridgeline {
namespace {

// Arithmetic of an update, by number: AdamW decays (2), averages the gradient (3) and its square
// (4), takes root, quotient and sum (3) and steps (3); SGD decays (2), averages (2), steps (2);
// Muon, beside its products, averages (3) and looks ahead (3), norms (3), decays (1), steps (2).
constexpr double kAdamWFlop = 15;
constexpr double kSgdFlop = 6;
constexpr double kMuonFlop = 12;

double flop_a_number(OptimizerKind kind) {
  if (kind == OptimizerKind::Muon) return kMuonFlop;
  return kind == OptimizerKind::Sgd ? kSgdFlop : kAdamWFlop;
}

double states_of(OptimizerKind kind) {
  return kind == OptimizerKind::Sgd || kind == OptimizerKind::Muon ? 1 : 2;
}

// Trained numbers, and their bytes.
struct Amount {
  double numbers = 0;
  double bytes = 0;
};
struct Amounts {
  Amount matrices;
  Amount rest;
};

Amounts amounts_of(const CostPlan& plan, const RunSettings& settings) {
  const double storage = widths_of(settings.precision).storage;
  Amounts all;
  for (const ModelSegment& segment : plan.segments) {
    double hidden = 0;
    for (const MatrixShape& shape : segment.hidden) hidden += static_cast<double>(shape.numbers());
    all.matrices.numbers += hidden;
    all.matrices.bytes += storage * hidden;
    all.rest.numbers += segment.parameters - hidden;
    all.rest.bytes += segment.weight_bytes - storage * hidden;
  }
  return all;
}

double products(const CostPlan& plan, const Update& update) {
  double flop = 0;
  if (update.matrices != OptimizerKind::Muon) return flop;
  for (const ModelSegment& segment : plan.segments)
    for (const MatrixShape& shape : segment.hidden) flop += newton_schulz_flop(shape);
  return flop;
}

// Reads parameter, gradient and states; writes all but the gradient. A matrix that is multiplied
// with itself again and again may stay on the chip meanwhile.
double passes(OptimizerKind kind) { return 3 + 2 * states_of(kind); }

}  // namespace

OptimizerKind usual_optimizer(const ModelSpec& spec) {
  return std::holds_alternative<TransformerSpec>(spec) ? OptimizerKind::AdamW : OptimizerKind::Sgd;
}

Update update_of(const ModelSpec& spec, OptimizerKind kind) {
  return {.matrices = kind, .rest = kind == OptimizerKind::Muon ? usual_optimizer(spec) : kind};
}

PhaseCost update_cost(const CostPlan& plan, const Update& update, const RunSettings& settings) {
  const auto [matrices, rest] = amounts_of(plan, settings);
  return {.flop = {flop_a_number(update.matrices) * matrices.numbers +
                   flop_a_number(update.rest) * rest.numbers + products(plan, update)},
          .bytes = {passes(update.matrices) * matrices.bytes + passes(update.rest) * rest.bytes}};
}

Bytes state_bytes(const CostPlan& plan, const Update& update, const RunSettings& settings) {
  const auto [matrices, rest] = amounts_of(plan, settings);
  return {states_of(update.matrices) * matrices.bytes + states_of(update.rest) * rest.bytes};
}

// The stack of changes, and of the iteration the matrix before and after a product and the two
// squares of its shorter side.
Bytes update_scratch(const CostPlan& plan, const Update& update, const RunSettings& settings) {
  if (update.matrices != OptimizerKind::Muon) return {};
  const double product = settings.device.kind == DeviceKind::Cuda ? 2 : 4;
  const double storage = widths_of(settings.precision).storage;
  std::map<MatrixShape, std::int64_t> counts;
  for (const ModelSegment& segment : plan.segments)
    for (const MatrixShape& shape : segment.hidden) ++counts[shape];
  double most = 0;
  for (const auto& [shape, count] : counts) {
    const auto stacked = static_cast<double>(std::min(count, matrices_a_stack(shape)));
    const auto shorter = static_cast<double>(std::min(shape.rows, shape.columns));
    const auto numbers = static_cast<double>(shape.numbers());
    most = std::max(
        most, stacked * ((storage + 2 * product) * numbers + 2 * product * shorter * shorter));
  }
  return {most};
}

}  // namespace ridgeline
