#include <array>

#include "roofline/op_model.h"

namespace ridgeline {
namespace {

// (to, from): the source is read in its type, the destination written in its own.
std::optional<OpWork> copy(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const to = call.tensor(0);
  const OpInput* const from = call.tensor(1);
  if (to == nullptr || from == nullptr) return std::nullopt;
  return vector_work(to->type, 0, to->bytes().count + from->bytes().count);
}

std::optional<OpWork> fill(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const x = call.tensor(0);
  if (x == nullptr) return std::nullopt;
  return vector_work(x->type, 0, x->bytes().count);
}

std::optional<OpWork> concatenate(const OpCall& call, const OpModel&, const OpCostOptions&) {
  if (call.inputs.empty() || call.inputs.front().what != OpInput::What::TensorList)
    return std::nullopt;
  return vector_work("Float", 0, 2 * call.inputs.front().bytes().count);
}

// Rows that are picked are read and written once each, however large the table.
OpWork picked(const OpInput& table, const OpInput& places, double row) {
  const double rows = places.elements() * row;
  return vector_work(table.type, 0, 2 * rows * width_of(table.type) + places.bytes().count);
}

// (table, dimension, places)
std::optional<OpWork> index_select(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const table = call.tensor(0);
  const OpInput* const places = call.tensor(2);
  const auto dimension = call.number(1);
  if (table == nullptr || places == nullptr || !dimension) return std::nullopt;
  const auto count = static_cast<std::int64_t>(table->sizes.size());
  const std::int64_t place = *dimension < 0 ? *dimension + count : *dimension;
  if (place < 0 || place >= count) return std::nullopt;
  const auto size = table->sizes[static_cast<std::size_t>(place)];
  if (size == 0) return std::nullopt;
  return picked(*table, *places, table->elements() / static_cast<double>(size));
}

// (table, places, ...)
std::optional<OpWork> embedding(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const table = call.tensor(0);
  const OpInput* const places = call.tensor(1);
  if (table == nullptr || places == nullptr || table->sizes.size() != 2) return std::nullopt;
  return picked(*table, *places, static_cast<double>(table->sizes[1]));
}

// (gradient, places, number of rows, ...): a table of zeros to which the rows are added.
std::optional<OpWork> embedding_backward(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const gradient = call.tensor(0);
  const OpInput* const places = call.tensor(1);
  const auto rows = call.number(2);
  if (gradient == nullptr || places == nullptr || !rows || gradient->sizes.empty())
    return std::nullopt;
  const double table = static_cast<double>(*rows) * static_cast<double>(gradient->sizes.back());
  return vector_work(
      gradient->type, gradient->elements(),
      gradient->bytes().count + places->bytes().count + table * width_of(gradient->type));
}

// (real, imaginary): both are read, and written side by side.
std::optional<OpWork> complex(const OpCall& call, const OpModel&, const OpCostOptions&) {
  const OpInput* const real = call.tensor(0);
  const OpInput* const imaginary = call.tensor(1);
  if (real == nullptr || imaginary == nullptr) return std::nullopt;
  return vector_work(real->type, 0, 2 * (real->bytes().count + imaginary->bytes().count));
}

constexpr std::array kModels{
    OpModel{.name = "aten::copy_", .work = copy},
    OpModel{.name = "aten::fill_", .work = fill},
    OpModel{.name = "aten::zero_", .role = OpRole::Delegates, .work = fill},
    OpModel{.name = "aten::cat", .work = concatenate},
    OpModel{.name = "aten::stack", .role = OpRole::Delegates, .work = concatenate},
    OpModel{.name = "aten::index_select", .work = index_select},
    OpModel{.name = "aten::embedding", .role = OpRole::Delegates, .work = embedding},
    OpModel{.name = "aten::embedding_dense_backward", .work = embedding_backward},
    OpModel{.name = "aten::complex", .work = complex},
};

}  // namespace

std::span<const OpModel> movement_models() { return kModels; }

}  // namespace ridgeline
