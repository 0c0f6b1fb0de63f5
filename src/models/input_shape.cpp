#include "models/input_shape.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::array<std::string_view, 8> kDtypes{"float32", "float64", "float16", "bfloat16",
                                                  "int64",   "int32",   "uint8",   "bool"};
// Far beyond any memory, and far below where a product of sizes would overflow.
constexpr long kMostNumbers = 1L << 40;

Error complaint(std::string_view text, std::string_view why) {
  return bad_input(fmt::format("input shape '{}': {}; write it as 8x3x224x224:float32", text, why));
}

long parse_size(std::string_view whole, std::string_view digits) {
  long size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (error == std::errc::result_out_of_range) {
    throw complaint(whole, fmt::format("size {} is too large", digits));
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw complaint(whole, fmt::format("'{}' is not a size", digits));
  }
  if (size <= 0) throw complaint(whole, fmt::format("size {} is not positive", size));
  return size;
}

}  // namespace

InputShape parse_input_shape(std::string_view text) {
  const std::size_t colon = text.find(':');
  InputShape input{.sizes = {}, .dtype = "float32"};
  if (colon != std::string_view::npos) input.dtype = std::string(text.substr(colon + 1));
  if (std::ranges::find(kDtypes, input.dtype) == kDtypes.end()) {
    throw complaint(text,
                    fmt::format("'{}' is not one of {}", input.dtype, fmt::join(kDtypes, ", ")));
  }
  std::string_view rest = text.substr(0, colon);
  long numbers = 1;
  while (true) {
    const std::size_t cross = rest.find('x');
    const long size = parse_size(text, rest.substr(0, cross));
    if (size > kMostNumbers / numbers) throw complaint(text, "the tensor is too large");
    numbers *= size;
    input.sizes.push_back(size);
    if (cross == std::string_view::npos) return input;
    rest.remove_prefix(cross + 1);
  }
}

std::string to_text(const InputShape& input) {
  return fmt::format("{}:{}", fmt::join(input.sizes, "x"), input.dtype);
}

}  // namespace ridgeline
