#include "roofline/op_call.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using Json = nlohmann::json;

// A recording is our own, but a number out of a file is not trusted: nothing real is larger.
constexpr double kMostElements = 1e18;

struct TypeWidth {
  std::string_view name;
  double bytes;
  bool floating;
};
constexpr std::array kTypes{
    TypeWidth{"Float", 4, true},         TypeWidth{"BFloat16", 2, true},
    TypeWidth{"Half", 2, true},          TypeWidth{"Double", 8, true},
    TypeWidth{"ComplexFloat", 8, true},  TypeWidth{"ComplexDouble", 16, true},
    TypeWidth{"Float8_e4m3fn", 1, true}, TypeWidth{"Float8_e5m2", 1, true},
    TypeWidth{"Long", 8, false},         TypeWidth{"Int", 4, false},
    TypeWidth{"Short", 2, false},        TypeWidth{"Char", 1, false},
    TypeWidth{"Byte", 1, false},         TypeWidth{"Bool", 1, false}};

std::optional<std::int64_t> whole(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> whole_numbers(const Json& json) {
  std::vector<std::int64_t> numbers;
  for (const Json& item : json) {
    const auto number = whole(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// [elements, bytes] of a list of tensors.
OpInput list_input(const Json& value) {
  OpInput input{.what = OpInput::What::TensorList};
  const auto numbers = value.is_array() ? whole_numbers(value) : std::nullopt;
  if (!numbers || numbers->size() != 2) return {};  // not recorded, so nothing is known
  input.list_elements = static_cast<double>((*numbers)[0]);
  input.list_bytes = {static_cast<double>((*numbers)[1])};
  return input;
}

OpInput value_input(const Json& value) {
  OpInput input{.what = OpInput::What::Value, .is_list = value.is_array()};
  if (value.is_array()) {
    const auto numbers = whole_numbers(value);
    if (!numbers) return {};
    input.numbers = *numbers;
  } else if (const auto number = whole(value)) {
    input.numbers = {*number};
  } else {
    return {};
  }
  return input;
}

std::optional<OpInput> tensor_input(const Json& dimensions, const std::string& type) {
  auto sizes = whole_numbers(dimensions);
  if (!sizes) return std::nullopt;
  double elements = 1;
  for (const std::int64_t size : *sizes) {
    if (size < 0) return std::nullopt;
    elements *= static_cast<double>(size);
  }
  if (elements > kMostElements) return std::nullopt;
  return OpInput{.what = OpInput::What::Tensor, .sizes = std::move(*sizes), .type = type};
}

// The three lines; the last may be missing.
struct Lines {
  Json dimensions;
  Json types;
  Json values;
};

std::optional<Lines> lines_of(std::string_view shape) {
  const auto parse = [](std::string_view text) { return Json::parse(text, nullptr, false); };
  const auto first = shape.find('\n');
  if (first == std::string_view::npos) return std::nullopt;
  const auto second = shape.find('\n', first + 1);
  Lines lines{.dimensions = parse(shape.substr(0, first)),
              .types = parse(shape.substr(first + 1, second - first - 1)),
              .values = Json::array()};
  if (second != std::string_view::npos) lines.values = parse(shape.substr(second + 1));
  if (!lines.dimensions.is_array() || !lines.types.is_array() || !lines.values.is_array())
    return std::nullopt;
  return lines;
}

}  // namespace

double width_of(std::string_view type) {
  const auto* const known = std::ranges::find(kTypes, type, &TypeWidth::name);
  return known == kTypes.end() ? 0 : known->bytes;
}

bool is_floating(std::string_view type) {
  const auto* const known = std::ranges::find(kTypes, type, &TypeWidth::name);
  return known != kTypes.end() && known->floating;
}

double OpInput::elements() const {
  if (what == What::TensorList) return list_elements;
  if (what != What::Tensor) return 0;
  double count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<double>(size);
  return count;
}

Bytes OpInput::bytes() const {
  if (what == What::TensorList) return list_bytes;
  return {elements() * width_of(type)};
}

const OpInput* OpCall::tensor(std::size_t place) const {
  if (place >= inputs.size() || !inputs[place].is_tensor()) return nullptr;
  return &inputs[place];
}

std::optional<std::int64_t> OpCall::number(std::size_t place) const {
  if (place >= inputs.size()) return std::nullopt;
  const OpInput& input = inputs[place];
  if (input.what != OpInput::What::Value || input.is_list || input.numbers.size() != 1)
    return std::nullopt;
  return input.numbers.front();
}

const std::vector<std::int64_t>* OpCall::list(std::size_t place) const {
  if (place >= inputs.size()) return nullptr;
  const OpInput& input = inputs[place];
  return input.what == OpInput::What::Value && input.is_list ? &input.numbers : nullptr;
}

std::optional<OpCall> parse_op_call(std::string_view name, std::string_view shape) {
  const auto lines = lines_of(shape);
  if (!lines) return std::nullopt;
  OpCall call{.name = std::string(name)};
  for (std::size_t i = 0; i < lines->types.size(); ++i) {
    // Dimensions are the first to be left out where there are very many inputs.
    const Json dimensions = i < lines->dimensions.size() ? lines->dimensions[i] : Json();
    if (!lines->types[i].is_string()) return std::nullopt;
    const auto type = lines->types[i].get<std::string>();
    const Json value = i < lines->values.size() ? lines->values[i] : Json();
    if (type == "TensorList") {
      call.inputs.push_back(list_input(value));
    } else if (type.empty() || type == "Scalar") {
      call.inputs.push_back(value_input(value));
    } else if (!dimensions.is_array()) {
      call.inputs.emplace_back();
    } else {
      auto input = tensor_input(dimensions, type);
      if (!input) return std::nullopt;
      call.inputs.push_back(std::move(*input));
    }
  }
  return call;
}

}  // namespace ridgeline
