#pragma once

#include "models/segment.h"

namespace ridgeline {

// What a model's family is usually trained by, and what goes beside Muon: SGD for images, AdamW
// where tokens are looked up. Model::ends() says the same of a model that is made.
[[nodiscard]] OptimizerKind usual_optimizer(const ModelSpec& spec);

// What updates a model's hidden matrices and what the rest: the same but for Muon.
struct Update {
  OptimizerKind matrices;
  OptimizerKind rest;
};
[[nodiscard]] Update update_of(const ModelSpec& spec, OptimizerKind kind);

[[nodiscard]] PhaseCost update_cost(const CostPlan& plan, const Update& update,
                                    const RunSettings& settings);
[[nodiscard]] Bytes state_bytes(const CostPlan& plan, const Update& update,
                                const RunSettings& settings);
// The most that an update keeps beside weights, gradients and states.
[[nodiscard]] Bytes update_scratch(const CostPlan& plan, const Update& update,
                                   const RunSettings& settings);

}  // namespace ridgeline
