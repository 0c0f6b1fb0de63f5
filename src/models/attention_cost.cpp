#include "models/segment.h"

namespace ridgeline {

CostPlan plan_costs(const AttentionSpec& spec, const RunSettings& settings) {
  constexpr double kFp32 = 4;
  const Widths bytes = widths_of(settings.precision);
  const double heads = static_cast<double>(spec.batch_size) * static_cast<double>(spec.num_heads);
  const double context = static_cast<double>(spec.context_length);
  const double head_dim = static_cast<double>(spec.head_dim);
  const double pairs = spec.causal ? context * (context + 1) / 2 : context * context;
  const double numbers = heads * context * head_dim;

  ModelSegment segment;
  segment.parameters = 3 * numbers;
  segment.weight_bytes = bytes.storage * segment.parameters;
  segment.forward_flop = 2 * 2 * heads * pairs * head_dim;
  segment.backward_flop = 2.5 * segment.forward_flop;
  segment.useful_backward_flop = 2 * segment.forward_flop;
  segment.saved_bytes = bytes.compute * numbers + kFp32 * heads * context;
  if (bytes.autocast) segment.cast_bytes = bytes.compute * segment.parameters;
  // The three gradients and one more in fp32: the kernels sum or copy one apart. Under autocast
  // that one is gone before the gradients are cast to fp32.
  segment.backward_scratch = segment.weight_bytes + (bytes.autocast ? 0 : kFp32 * numbers);
  segment.inference_scratch = segment.saved_bytes;
  // The seed of the backward has the output's shape, in fp32.
  return {.segments = {segment},
          .fixed_bytes = kFp32 * numbers,
          .output_bytes = bytes.compute * numbers};
}

}  // namespace ridgeline
