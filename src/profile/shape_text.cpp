#include "profile/shape_text.h"

#include <algorithm>
#include <cmath>

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

void ShapeText::number(Part& part, std::int64_t value) noexcept {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  part.add({digits.data(), end});
}

// Inputs that find no room have no value: the list is then shorter than the others.
void ShapeText::value_of(std::span<const std::int64_t> numbers, bool is_list) noexcept {
  if (detail_ == ValueDetail::None || values_.size + kLargestInput > kRoom) return;
  if (numbers.size() > kMostDimensions) return no_value();
  comma(values_);
  if (is_list) values_.add("[");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) values_.add(",");
    number(values_, numbers[i]);
  }
  if (is_list) values_.add("]");
}

void ShapeText::no_value() noexcept {
  if (detail_ == ValueDetail::None || values_.size + kLargestInput > kRoom) return;
  comma(values_);
  values_.add("null");
}

bool ShapeText::sizes_of(std::span<const std::int64_t> sizes) noexcept {
  const bool fits = dimensions_.size + kLargestInput <= kRoom && sizes.size() <= kMostDimensions;
  if (!fits) sizes = {};
  // Empty lists fit many times more, but not without end: then inputs are left out.
  if (dimensions_.size + kLargestInput / 8 > kRoom) return false;
  comma(dimensions_);
  dimensions_.add("[");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) dimensions_.add(",");
    number(dimensions_, sizes[i]);
  }
  dimensions_.add("]");
  return fits;
}

void ShapeText::type_of(std::string_view type) noexcept {
  if (types_.size + kLongestType + 8 > kRoom) return;
  comma(types_);
  types_.add("\"");
  types_.add(type.substr(0, kLongestType));
  types_.add("\"");
}

void ShapeText::tensor(std::span<const std::int64_t> sizes, std::string_view type,
                       std::int64_t bytes) noexcept {
  if (!in_list_) {
    type_of(sizes_of(sizes) ? type : "");
    no_value();
    return;
  }
  if (list_shown_) (void)sizes_of(sizes);
  double elements = 1;
  for (const std::int64_t size : sizes) elements *= static_cast<double>(size);
  list_elements_ += elements;
  list_bytes_ += static_cast<double>(bytes);
}

void ShapeText::open_list() noexcept {
  list_shown_ = dimensions_.size + kLargestInput <= kRoom;
  if (list_shown_) {
    comma(dimensions_);
    dimensions_.add("[");
  } else {
    (void)sizes_of({});  // its tensors are still added up
  }
  type_of("TensorList");
  in_list_ = true;
}

void ShapeText::close_list() noexcept {
  if (!in_list_) return;
  if (list_shown_) dimensions_.add("]");
  constexpr double kMost = 1e18;
  if (std::abs(list_elements_) < kMost && std::abs(list_bytes_) < kMost) {
    value_of(std::array{static_cast<std::int64_t>(list_elements_),
                        static_cast<std::int64_t>(list_bytes_)},
             /*is_list=*/true);
  } else {
    no_value();
  }
  in_list_ = false;
  list_elements_ = 0;
  list_bytes_ = 0;
}

void ShapeText::other(std::string_view type) noexcept {
  (void)sizes_of({});
  type_of(type);
  no_value();
}

void ShapeText::value(std::string_view type, std::int64_t number) noexcept {
  (void)sizes_of({});
  type_of(type);
  value_of({&number, 1}, /*is_list=*/false);
}

void ShapeText::values(std::string_view type, std::span<const std::int64_t> numbers) noexcept {
  (void)sizes_of({});
  type_of(type);
  value_of(numbers, /*is_list=*/true);
}

std::string_view ShapeText::finish() noexcept {
  close_list();
  dimensions_.add("]\n");
  types_.add("]");
  auto end = std::copy_n(dimensions_.text.begin(), dimensions_.size, joined_.begin());
  end = std::copy_n(types_.text.begin(), types_.size, end);
  if (detail_ == ValueDetail::Values) {
    *end++ = '\n';
    values_.add("]");
    end = std::copy_n(values_.text.begin(), values_.size, end);
  }
  return {joined_.data(), static_cast<std::size_t>(end - joined_.begin())};
}

std::string_view dimensions_of(std::string_view shape) { return shape.substr(0, shape.find('\n')); }

}  // namespace ridgeline
