#include "profile/shape_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace ridgeline {
namespace {

// What one input can take at most: 8 dimensions of 20 characters. Larger ones stand as empty.
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kLargestInput = kMostDimensions * 21 + 8;
constexpr std::size_t kLongestType = 32;

}  // namespace

void ShapeText::comma(Part& part) noexcept {
  if (part.text[part.size - 1] != '[') part.add(",");
}

void ShapeText::sizes_of(std::span<const std::int64_t> sizes) noexcept {
  if (dimensions_.size + kLargestInput > kRoom || sizes.size() > kMostDimensions) sizes = {};
  // Empty lists fit many times more, but not without end: then inputs are left out.
  if (dimensions_.size + kLargestInput / 8 > kRoom) return;
  comma(dimensions_);
  dimensions_.add("[");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) dimensions_.add(",");
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), sizes[i]).ptr;
    dimensions_.add({digits.data(), end});
  }
  dimensions_.add("]");
}

void ShapeText::type_of(std::string_view type) noexcept {
  if (types_.size + kLongestType + 8 > kRoom) return;
  comma(types_);
  types_.add("\"");
  types_.add(type.substr(0, kLongestType));
  types_.add("\"");
}

void ShapeText::tensor(std::span<const std::int64_t> sizes, std::string_view type) noexcept {
  sizes_of(sizes);
  if (!in_list_) type_of(type);
}

void ShapeText::open_list() noexcept {
  if (dimensions_.size + kLargestInput > kRoom) return;
  comma(dimensions_);
  dimensions_.add("[");
  type_of("TensorList");
  in_list_ = true;
}

void ShapeText::close_list() noexcept {
  if (in_list_) dimensions_.add("]");
  in_list_ = false;
}

void ShapeText::other(std::string_view type) noexcept {
  sizes_of({});
  type_of(type);
}

std::string_view ShapeText::finish() noexcept {
  close_list();
  dimensions_.add("]\n");
  types_.add("]");
  auto end = std::copy_n(dimensions_.text.begin(), dimensions_.size, joined_.begin());
  end = std::copy_n(types_.text.begin(), types_.size, end);
  return {joined_.data(), dimensions_.size + types_.size};
}

std::string_view dimensions_of(std::string_view shape) { return shape.substr(0, shape.find('\n')); }

std::string trace_arguments(std::string_view shape) {
  const auto middle = shape.find('\n');
  if (middle == std::string_view::npos) return {};
  return fmt::format(R"(, "Input Dims": {}, "Input type": {})", shape.substr(0, middle),
                     shape.substr(middle + 1));
}

}  // namespace ridgeline
