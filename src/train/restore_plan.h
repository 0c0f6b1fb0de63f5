#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/value.h"
#include "engine/tensors.h"

namespace ridgeline {

// Assignments that have been checked and wait until everything has.
using RestorePlan = std::vector<std::pair<at::Tensor, Array>>;

// Throws Error(BadInput) where the value is no tensor of this size and dtype.
void plan_one(RestorePlan& plan, const std::string& name, const at::Tensor& tensor,
              const Value* value);

}  // namespace ridgeline
