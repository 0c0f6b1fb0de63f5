#include "profile/shape_arguments.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ridgeline {
namespace {

constexpr std::string_view kTensorList = "\"TensorList\"";

// Of ATen's scalar types, as the names of C++ types that PyTorch's profiler writes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kTypes{{
    {"\"Byte\"", "\"unsigned char\""},
    {"\"Char\"", "\"signed char\""},
    {"\"Short\"", "\"short\""},
    {"\"Int\"", "\"int\""},
    {"\"Long\"", "\"long int\""},
    {"\"Half\"", "\"c10::Half\""},
    {"\"Float\"", "\"float\""},
    {"\"Double\"", "\"double\""},
    {"\"Bool\"", "\"bool\""},
    {"\"BFloat16\"", "\"c10::BFloat16\""},
    {"\"ComplexHalf\"", "\"c10::complex<c10::Half>\""},
    {"\"ComplexFloat\"", "\"c10::complex<float>\""},
    {"\"ComplexDouble\"", "\"c10::complex<double>\""},
}};

// The items of a JSON list; in ours no text holds a bracket or a comma.
std::vector<std::string_view> items_of(std::string_view list) {
  std::vector<std::string_view> items;
  if (list.size() <= 2) return items;
  list = list.substr(1, list.size() - 2);
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      items.push_back(list.substr(begin, i - begin));
      begin = i + 1;
      continue;
    }
    depth += list[i] == '[' ? 1 : list[i] == ']' ? -1 : 0;
  }
  return items;
}

std::string type_list(const std::vector<std::string_view>& types) {
  std::string text = "[";
  for (const std::string_view type : types) {
    const auto known =
        std::ranges::find(kTypes, type, &std::pair<std::string_view, std::string_view>::first);
    text += text.size() > 1 ? ", " : "";
    text += known == kTypes.end() ? type : known->second;
  }
  return text + "]";
}

// A list of tensors has its elements and bytes there, which are no values of its own.
std::string value_list(const std::vector<std::string_view>& values,
                       const std::vector<std::string_view>& types) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += i > 0 ? ", \"" : "\"";
    const bool has_value = values[i] != "null" && (i >= types.size() || types[i] != kTensorList);
    for (const char c : has_value ? values[i] : std::string_view()) {
      text += c;
      if (c == ',') text += ' ';
    }
    text += '"';
  }
  return text + "]";
}

}  // namespace

std::string trace_arguments(std::string_view shape) {
  const auto middle = shape.find('\n');
  if (middle == std::string_view::npos) return {};
  const std::string_view rest = shape.substr(middle + 1);
  const auto end = rest.find('\n');
  const auto types = items_of(rest.substr(0, end));
  std::string text = fmt::format(R"(, "Input Dims": {}, "Input type": {})", shape.substr(0, middle),
                                 type_list(types));
  if (end != std::string_view::npos)
    text += fmt::format(R"(, "Concrete Inputs": {})",
                        value_list(items_of(rest.substr(end + 1)), types));
  return text;
}

}  // namespace ridgeline
