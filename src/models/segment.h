#pragma once

#include <vector>

#include "engine/muon_plan.h"
#include "models/spec.h"

namespace ridgeline {

// A stretch of a model's forward pass as numbers, all for one micro-batch. A model is a list of
// these in the order they run; everything spec.h promises is a sum or a walk over the list.
struct ModelSegment {
  double parameters = 0;            // trained numbers
  std::vector<MatrixShape> hidden;  // those of them that are hidden matrices, which Muon updates
  double weight_bytes = 0;          // as stored
  double forward_flop = 0;          // products alone
  double backward_flop = 0;         // as executed
  double useful_backward_flop = 0;  // without the attention scores computed again

  // Saved by autograd; a tensor that two segments use counts with the later.
  double saved_bytes = 0;
  // Casts of weights that autocast makes: saved too, and in inference alive until the pass ends.
  double cast_bytes = 0;
  // The block's inputs: all that is saved when it is checkpointed.
  double input_bytes = 0;
  bool checkpointed = false;

  // The most alive at one time, beyond what is saved, in each pass.
  double forward_scratch = 0;
  double backward_scratch = 0;
  double inference_scratch = 0;
};

struct CostPlan {
  std::vector<ModelSegment> segments;
  double fixed_bytes = 0;   // buffers and constants
  double batch_bytes = 0;   // input and target of one micro-batch
  double output_bytes = 0;  // of an inference
};

// Bytes of a number in each role.
struct Widths {
  double storage;  // a weight
  double compute;  // the operand of a product
  bool autocast;   // storage and compute differ
};
[[nodiscard]] Widths widths_of(Precision precision);

[[nodiscard]] CostPlan plan_costs(const TransformerSpec& spec, const RunSettings& settings);
[[nodiscard]] CostPlan plan_costs(const ResNetSpec& spec, const RunSettings& settings);
[[nodiscard]] CostPlan plan_costs(const AttentionSpec& spec, const RunSettings& settings);

}  // namespace ridgeline
