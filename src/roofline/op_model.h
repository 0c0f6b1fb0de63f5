#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "roofline/op_cost.h"

namespace ridgeline {

// How the cost of one op is worked out: what op_cost.cpp collects from the families. `weight` is
// the family's own number: FLOPs an element, as a rule. A model may be used for several ops.
struct OpModel {
  std::string_view name{};
  OpRole role = OpRole::Works;
  std::optional<OpWork> (*work)(const OpCall&, const OpModel&, const OpCostOptions&) = nullptr;
  double weight = 0;
  std::size_t operands = 1;  // tensors that are read; one more is where the result goes
};

[[nodiscard]] std::span<const OpModel> product_models();
[[nodiscard]] std::span<const OpModel> convolution_models();
[[nodiscard]] std::span<const OpModel> attention_models();
[[nodiscard]] std::span<const OpModel> normalisation_models();
[[nodiscard]] std::span<const OpModel> elementwise_models();
[[nodiscard]] std::span<const OpModel> reduction_models();
[[nodiscard]] std::span<const OpModel> movement_models();
[[nodiscard]] std::span<const OpModel> optimizer_models();

// Where products of this type run: the matrix units where they take it.
[[nodiscard]] ComputePath product_path(std::string_view type, const OpCostOptions& options);
// Where everything else runs: ATen computes half types in fp32 and only stores them short.
[[nodiscard]] ComputePath vector_path(std::string_view type);

[[nodiscard]] OpWork product_work(std::string_view type, double flop, double bytes,
                                  const OpCostOptions& options);
[[nodiscard]] OpWork vector_work(std::string_view type, double flop, double bytes);

// Elements of the result when these are combined element by element; absent when they do not fit.
[[nodiscard]] std::optional<double> broadcast_elements(const std::vector<const OpInput*>& operands);

}  // namespace ridgeline
