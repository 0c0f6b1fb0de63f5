#include "train/restore_plan.h"

#include <ATen/core/Tensor.h>

#include <fmt/format.h>

#include "core/error.h"
#include "train/arrays.h"

namespace ridgeline {

void plan_one(RestorePlan& plan, const std::string& name, const at::Tensor& tensor,
              const Value* value) {
  const auto* const array = value == nullptr ? nullptr : std::get_if<Array>(&value->held);
  if (array == nullptr) throw bad_input(fmt::format("the checkpoint has no tensor '{}'", name));
  const std::string problem = mismatch(name, tensor, *array);
  if (!problem.empty()) throw bad_input("the checkpoint is of another model: " + problem);
  plan.emplace_back(tensor, *array);
}

}  // namespace ridgeline
