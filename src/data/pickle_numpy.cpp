#include "data/pickle_numpy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "core/malformed.h"

namespace ridgeline {
namespace {

struct NumpyType {
  std::string_view name;
  DType dtype;
};
constexpr std::array kNumpyTypes{
    NumpyType{"u1", DType::U8},  NumpyType{"i1", DType::I8},  NumpyType{"i2", DType::I16},
    NumpyType{"i4", DType::I32}, NumpyType{"i8", DType::I64}, NumpyType{"f2", DType::F16},
    NumpyType{"f4", DType::F32}, NumpyType{"f8", DType::F64}, NumpyType{"b1", DType::Bool},
    NumpyType{"u2", DType::U16}, NumpyType{"u4", DType::U32}, NumpyType{"u8", DType::U64},
};

DType dtype_of(const PickleGraph& graph, Ref ref, const PickleContext& context) {
  const auto* const held = std::get_if<PickleDType>(&graph.nodes[ref].held);
  if (held == nullptr) throw context.refusal("an array whose dtype is none");
  return held->dtype;
}

PickleArray checked_array(DType dtype, std::vector<std::int64_t> shape, std::string_view bytes,
                          const PickleContext& context) {
  const auto needed = byte_count(dtype, shape);
  if (!needed || *needed != bytes.size()) {
    throw context.refusal(fmt::format("an array of {} bytes whose shape and type want {}",
                                      bytes.size(), needed ? fmt::to_string(*needed) : "too many"));
  }
  return {.dtype = dtype, .shape = std::move(shape), .bytes = bytes, .filled = true};
}

template <class Number>
Number number_in(std::string_view bytes) {
  Number value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

PickleNode make_numpy_array(PickleGraph& graph, std::span<const Ref> arguments,
                            const PickleContext& context) {
  const auto* const type =
      arguments.empty() ? nullptr : std::get_if<PickleGlobal>(&graph.nodes[arguments[0]].held);
  if (type == nullptr || type->name != "numpy.ndarray") {
    throw context.refusal("NumPy's _reconstruct for what is no ndarray");
  }
  return {.held = PickleArray{}};
}

void fill_numpy_array(const PickleGraph& graph, PickleArray& array, Ref state,
                      const PickleContext& context) {
  // (version, shape, dtype, is_fortran, bytes)
  const auto& items = context.sequence(graph, state);
  if (array.filled || items.size() != 5)
    throw context.refusal("a NumPy array with a strange state");
  std::vector<std::int64_t> shape = context.numbers(graph, items[1]);
  const auto* const fortran_flag = std::get_if<bool>(&graph.nodes[items[3]].held);
  const bool fortran =
      fortran_flag != nullptr ? *fortran_flag : context.number(graph, items[3]) != 0;
  if (fortran && shape.size() > 1) {
    throw context.refusal("a NumPy array in column-major order; save it with np.ascontiguousarray");
  }
  array = checked_array(dtype_of(graph, items[2], context), std::move(shape),
                        context.text(graph, items[4]), context);
}

PickleNode make_numpy_array_from_buffer(PickleGraph& graph, std::span<const Ref> arguments,
                                        const PickleContext& context) {
  if (arguments.size() != 4 || context.text(graph, arguments[3]) != "C") {
    throw context.refusal("a NumPy array from a buffer that is not row-major");
  }
  return {.held = checked_array(dtype_of(graph, arguments[1], context),
                                context.numbers(graph, arguments[2]),
                                context.text(graph, arguments[0]), context)};
}

PickleNode make_numpy_scalar(PickleGraph& graph, std::span<const Ref> arguments,
                             const PickleContext& context) {
  if (arguments.size() != 2) throw context.refusal("a NumPy number with strange arguments");
  const DType dtype = dtype_of(graph, arguments[0], context);
  const std::string_view bytes = context.text(graph, arguments[1]);
  if (bytes.size() != size_of(dtype)) throw context.refusal("a NumPy number of the wrong size");
  switch (dtype) {
    case DType::F64:
      return {.held = number_in<double>(bytes)};
    case DType::F32:
      return {.held = double{number_in<float>(bytes)}};
    case DType::I64:
      return {.held = number_in<std::int64_t>(bytes)};
    case DType::I32:
      return {.held = std::int64_t{number_in<std::int32_t>(bytes)}};
    case DType::U8:
      return {.held = std::int64_t{number_in<std::uint8_t>(bytes)}};
    case DType::Bool:
      return {.held = bytes[0] != '\0'};
    default:
      throw context.refusal(fmt::format("a NumPy number of type {}", name_of(dtype)));
  }
}

PickleNode make_numpy_dtype(PickleGraph& graph, std::span<const Ref> arguments,
                            const PickleContext& context) {
  if (arguments.empty()) throw context.refusal("a NumPy dtype without a name");
  std::string_view name = context.text(graph, arguments[0]);
  if (name.starts_with('|') || name.starts_with('<')) name.remove_prefix(1);
  const auto* const type = std::ranges::find(kNumpyTypes, name, &NumpyType::name);
  if (type == kNumpyTypes.end()) {
    throw context.refusal(fmt::format("the NumPy dtype {}, which is not read", in_quotes(name)));
  }
  return {.held = PickleDType{.dtype = type->dtype}};
}

void check_numpy_dtype_state(const PickleGraph& graph, Ref state, const PickleContext& context) {
  // (version, byte order, subdtype, names, fields, size, alignment, flags)
  const auto& items = context.sequence(graph, state);
  if (items.size() < 5) throw context.refusal("a NumPy dtype with a strange state");
  if (context.text(graph, items[1]) == ">") throw context.refusal("a big-endian NumPy array");
  for (std::size_t i = 2; i < 5; ++i) {
    if (!std::holds_alternative<PickleNone>(graph.nodes[items[i]].held)) {
      throw context.refusal("a NumPy array of records");
    }
  }
}

}  // namespace ridgeline
