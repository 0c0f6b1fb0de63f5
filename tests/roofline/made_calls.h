#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "roofline/op_cost.h"

namespace ridgeline::testing {

inline OpInput tensor(std::vector<std::int64_t> sizes, std::string type = "Float") {
  return {.what = OpInput::What::Tensor, .sizes = std::move(sizes), .type = std::move(type)};
}
inline OpInput tensors(double elements, double width = 4) {
  return {.what = OpInput::What::TensorList,
          .list_elements = elements,
          .list_bytes = {elements * width}};
}
inline OpInput value(std::int64_t number) {
  return {.what = OpInput::What::Value, .numbers = {number}};
}
inline OpInput list(std::vector<std::int64_t> numbers) {
  return {.what = OpInput::What::Value, .numbers = std::move(numbers), .is_list = true};
}
inline OpInput none() { return {}; }

inline std::optional<OpWork> work_of(std::string name, std::vector<OpInput> inputs,
                                     const OpCostOptions& options = {}) {
  return op_work({.name = std::move(name), .inputs = std::move(inputs)}, options);
}

inline double flop_of(const std::optional<OpWork>& work) { return work.value().total_flop().count; }
inline double flop_of(const std::optional<OpWork>& work, ComputePath path) {
  return work.value().flop[index_of(path)].count;
}
inline double bytes_of(const std::optional<OpWork>& work) { return work.value().bytes.count; }

}  // namespace ridgeline::testing
