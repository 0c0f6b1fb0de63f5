#include <algorithm>

#include "models/segment.h"

namespace ridgeline {
namespace {

constexpr double kFp32 = 4;
constexpr double kToken = 8;  // int64

// The shape of one micro-batch and what its numbers weigh, shared by all segments.
struct Shape {
  double tokens, width, kv_width, hidden, vocab, heads;
  double causal_pairs;  // of one head, over the batch
  Widths bytes;
  double stream;  // bytes of a number of the residual stream
  bool cuda;
};

Shape shape_of(const TransformerSpec& spec, const RunSettings& settings) {
  const double batch = static_cast<double>(spec.batch_size);
  const double context = static_cast<double>(spec.context_length);
  const double head_dim = static_cast<double>(spec.d_model / spec.num_heads);
  const Widths bytes = widths_of(settings.precision);
  return {.tokens = batch * context,
          .width = static_cast<double>(spec.d_model),
          .kv_width = head_dim * static_cast<double>(spec.num_kv_heads),
          .hidden = static_cast<double>(spec.d_ff),
          .vocab = static_cast<double>(spec.vocab_size),
          .heads = static_cast<double>(spec.num_heads),
          .causal_pairs = batch * context * (context + 1) / 2,
          .bytes = bytes,
          // Embeddings are not cast, so under autocast the stream keeps the weights' fp32.
          .stream = bytes.storage,
          .cuda = settings.device.kind == DeviceKind::Cuda};
}

// What one RMSNorm saves. CUDA's is one kernel that keeps its input and a number a row; the CPU's
// is composed of single ops in fp32 and keeps the normalised rows as well.
double saved_by_norm(const Shape& s) {
  const double numbers = s.tokens * s.width;
  if (s.cuda) return s.stream * numbers + kFp32 * s.tokens;
  return 2 * kFp32 * numbers + kFp32 * s.tokens;
}

ModelSegment embedding(const Shape& s, const TransformerSpec& spec) {
  ModelSegment segment;
  segment.parameters = s.vocab * s.width;
  segment.weight_bytes = s.bytes.storage * segment.parameters;
  segment.forward_scratch = s.stream * s.tokens * s.width;
  segment.inference_scratch = segment.forward_scratch;
  segment.backward_scratch = s.stream * s.tokens * s.width;
  // A tied weight gets a second gradient here, added to the head's.
  if (spec.tied) segment.backward_scratch += segment.weight_bytes;
  return segment;
}

ModelSegment layer(const Shape& s) {
  const double rows = s.tokens * s.width;
  const double hidden = s.tokens * s.hidden;
  const double projections = 2 * s.width * s.width + 2 * s.width * s.kv_width;
  const double products = projections + 3 * s.width * s.hidden;
  // q k^T and p v: two products of head_dim multiply-adds a pair and head.
  const double attention = 2 * 2 * s.causal_pairs * s.width;

  ModelSegment segment;
  segment.parameters = products + 2 * s.width;
  const auto width = static_cast<std::int64_t>(s.width);
  const auto kv_width = static_cast<std::int64_t>(s.kv_width);
  const auto hidden_width = static_cast<std::int64_t>(s.hidden);
  segment.hidden = {{width, width},       {kv_width, width},     {kv_width, width},
                    {width, width},       {hidden_width, width}, {hidden_width, width},
                    {width, hidden_width}};
  segment.weight_bytes = s.bytes.storage * segment.parameters;
  segment.forward_flop = 2 * s.tokens * products + attention;
  segment.backward_flop = 2 * 2 * s.tokens * products + 2.5 * attention;
  segment.useful_backward_flop = 2 * 2 * s.tokens * products + 2 * attention;

  const double attention_saved =
      s.bytes.compute * (2 * rows + 2 * s.tokens * s.kv_width) + kFp32 * s.tokens * s.heads;
  segment.saved_bytes = 2 * saved_by_norm(s) + 2 * s.bytes.compute * rows + attention_saved +
                        4 * s.bytes.compute * hidden;
  if (s.bytes.autocast) segment.cast_bytes = s.bytes.compute * products;
  segment.input_bytes = (s.stream + s.bytes.compute) * rows;

  segment.forward_scratch = 2 * s.stream * rows;
  segment.backward_scratch = 2 * s.stream * rows + 2 * s.bytes.compute * hidden;
  segment.inference_scratch = 2 * s.stream * rows + 3 * s.bytes.compute * hidden;
  if (s.bytes.autocast) segment.inference_scratch += s.bytes.compute * rows;
  return segment;
}

ModelSegment head(const Shape& s, const TransformerSpec& spec) {
  const double rows = s.tokens * s.width;
  const double logits = s.tokens * s.vocab;
  const double product = s.width * s.vocab;
  ModelSegment segment;
  segment.parameters = s.width + (spec.tied ? 0 : product);
  segment.weight_bytes = s.bytes.storage * segment.parameters;
  segment.forward_flop = 2 * s.tokens * product;
  segment.backward_flop = 2 * segment.forward_flop;
  segment.useful_backward_flop = segment.backward_flop;
  segment.saved_bytes = saved_by_norm(s) + s.bytes.compute * rows + kFp32 * logits;
  if (s.bytes.autocast) segment.cast_bytes = s.bytes.compute * product;
  segment.forward_scratch = kFp32 * logits + s.stream * rows;
  // Gradients of the chosen log-probabilities and of the logits, beside the saved log-softmax.
  segment.backward_scratch = 2 * kFp32 * logits;
  segment.inference_scratch = s.bytes.compute * logits + 2 * s.stream * rows;
  return segment;
}

}  // namespace

CostPlan plan_costs(const TransformerSpec& spec, const RunSettings& settings) {
  const Shape shape = shape_of(spec, settings);
  CostPlan plan;
  plan.segments.push_back(embedding(shape, spec));
  for (long i = 0; i < spec.num_layers; ++i) {
    ModelSegment segment = layer(shape);
    segment.checkpointed = settings.activation_checkpointing;
    if (i == 0) segment.input_bytes = shape.stream * shape.tokens * shape.width;
    plan.segments.push_back(segment);
  }
  plan.segments.push_back(head(shape, spec));
  const double head_dim = shape.width / shape.heads;
  plan.fixed_bytes = kFp32 * static_cast<double>(spec.context_length) * head_dim;
  plan.batch_bytes = 2 * kToken * shape.tokens;
  plan.output_bytes = shape.bytes.compute * shape.tokens * shape.vocab;
  return plan;
}

}  // namespace ridgeline
