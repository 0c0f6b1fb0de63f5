#include <algorithm>
#include <functional>

#include "models/segment.h"
#include "models/update_cost.h"

namespace ridgeline {
namespace {

std::optional<CostPlan> plan_of(const ModelSpec& spec, const RunSettings& settings) {
  return std::visit(
      [&](const auto& known) -> std::optional<CostPlan> {
        if constexpr (std::is_same_v<std::decay_t<decltype(known)>, FileSpec>) {
          return std::nullopt;
        } else {
          return plan_costs(known, settings);
        }
      },
      spec);
}

template <class Measure>
double sum(const CostPlan& plan, Measure measure) {
  double total = 0;
  for (const ModelSegment& segment : plan.segments) total += std::invoke(measure, segment);
  return total;
}

double kept_after_forward(const ModelSegment& segment) {
  return segment.checkpointed ? segment.input_bytes : segment.saved_bytes + segment.cast_bytes;
}

PhaseCost forward_cost(const CostPlan& plan, Extent extent) {
  const double kept =
      extent == Extent::Inference ? plan.output_bytes : sum(plan, kept_after_forward);
  return {.flop = {sum(plan, &ModelSegment::forward_flop)},
          .bytes = {sum(plan, &ModelSegment::weight_bytes) + plan.batch_bytes + kept}};
}

PhaseCost backward_cost(const CostPlan& plan) {
  PhaseCost cost{};
  for (const ModelSegment& s : plan.segments) {
    const double saved = s.saved_bytes + s.cast_bytes;
    cost.flop.count += s.backward_flop;
    cost.bytes.count += saved + 2 * s.weight_bytes;  // weights read, gradients written
    if (!s.checkpointed) continue;
    cost.flop.count += s.forward_flop;
    cost.bytes.count += s.input_bytes + s.weight_bytes + saved;  // the forward once more
  }
  return cost;
}

double peak_of_inference(const CostPlan& plan) {
  double casts = 0;
  double peak = 0;
  for (const ModelSegment& segment : plan.segments) {
    casts += segment.cast_bytes;
    peak = std::max(peak, casts + segment.inference_scratch);
  }
  return peak;
}

double peak_of_forward(const CostPlan& plan) {
  double kept = 0;
  double peak = 0;
  for (const ModelSegment& segment : plan.segments) {
    kept += kept_after_forward(segment);
    const double inside =
        segment.checkpointed ? segment.inference_scratch : segment.forward_scratch;
    peak = std::max(peak, kept + inside);
  }
  return peak;
}

// Gradients appear from the last segment to the first while what was saved goes.
double peak_of_backward(const CostPlan& plan) {
  double alive = sum(plan, kept_after_forward);
  double peak = alive;
  for (auto segment = plan.segments.rbegin(); segment != plan.segments.rend(); ++segment) {
    double inside = segment->backward_scratch;
    if (segment->checkpointed) inside += segment->saved_bytes + segment->cast_bytes;
    peak = std::max(peak, alive + inside);
    alive += segment->weight_bytes - kept_after_forward(*segment);
  }
  return std::max(peak, alive);
}

double peak_beyond_parameters(const CostPlan& plan, const RunSettings& settings) {
  if (settings.extent == Extent::Inference) return peak_of_inference(plan);
  const double forward = peak_of_forward(plan);
  if (settings.extent == Extent::Forward) return forward;
  const double peak = std::max(forward, peak_of_backward(plan));
  if (settings.accumulation == 1) return peak;
  // The first micro-batch's gradients stay while the others run.
  return peak + sum(plan, &ModelSegment::weight_bytes);
}

}  // namespace

Widths widths_of(Precision precision) {
  switch (precision) {
    case Precision::Fp32:
    case Precision::Tf32:
      return {.storage = 4, .compute = 4, .autocast = false};
    case Precision::Bf16:
    case Precision::Fp16:
      return {.storage = 4, .compute = 2, .autocast = true};
    case Precision::Bf16Pure:
      break;
  }
  return {.storage = 2, .compute = 2, .autocast = false};
}

std::optional<std::int64_t> parameter_count(const ModelSpec& spec) {
  const auto plan = plan_of(spec, {});
  if (!plan) return std::nullopt;
  const double count = sum(*plan, &ModelSegment::parameters);
  if (count >= 0x1p63) return std::nullopt;  // attention counts its inputs, which know few bounds
  return static_cast<std::int64_t>(count);
}

std::optional<StepCost> step_cost(const ModelSpec& spec, const RunSettings& settings) {
  const auto plan = plan_of(spec, settings);
  if (!plan) return std::nullopt;
  const double times = settings.accumulation;
  const PhaseCost forward = forward_cost(*plan, settings.extent);
  StepCost cost;
  cost.forward = {.flop = times * forward.flop, .bytes = times * forward.bytes};
  if (settings.extent >= Extent::Backward) {
    const PhaseCost backward = backward_cost(*plan);
    cost.backward = {.flop = times * backward.flop, .bytes = times * backward.bytes};
    // Later micro-batches read the gradients that they add to.
    cost.backward.bytes.count += (times - 1) * sum(*plan, &ModelSegment::weight_bytes);
  }
  if (settings.extent == Extent::Step) {
    cost.optimizer = update_cost(*plan, update_of(spec, settings.optimizer), settings);
  }
  return cost;
}

std::optional<MemoryNeed> memory_need(const ModelSpec& spec, const RunSettings& settings) {
  const auto plan = plan_of(spec, settings);
  if (!plan) return std::nullopt;
  const double weights = sum(*plan, &ModelSegment::weight_bytes);
  MemoryNeed need;
  need.parameters = {weights + plan->fixed_bytes};
  need.batch = {settings.accumulation * plan->batch_bytes};
  if (settings.extent >= Extent::Backward) need.gradients = {weights};
  double beside = peak_beyond_parameters(*plan, settings);
  if (settings.extent == Extent::Step) {
    const Update update = update_of(spec, settings.optimizer);
    need.optimizer_state = state_bytes(*plan, update, settings);
    beside = std::max(beside, weights + update_scratch(*plan, update, settings).count);
  }
  need.activations = {settings.extent == Extent::Inference ? peak_of_inference(*plan)
                                                           : sum(*plan, kept_after_forward)};
  need.peak = need.parameters + need.batch + need.optimizer_state + Bytes{beside};
  return need;
}

std::optional<Flop> model_flop(const ModelSpec& spec, const RunSettings& settings) {
  const auto plan = plan_of(spec, settings);
  if (!plan) return std::nullopt;
  double flop = sum(*plan, &ModelSegment::forward_flop);
  if (settings.extent >= Extent::Backward) flop += sum(*plan, &ModelSegment::useful_backward_flop);
  return Flop{settings.accumulation * flop};
}

}  // namespace ridgeline
