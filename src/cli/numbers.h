#pragma once

#include <cstdint>

#include <CLI/App.hpp>

namespace ridgeline {

// What a flag takes. CLI11's own checks answer with the limits of a type in full ("not in range
// [4.94066e-324 - 1.79769e+308]") and let infinity and numbers that overflow later pass.

// Digits alone, both ends included.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

// Both ends included; never NaN, which CLI11's ranges let pass.
[[nodiscard]] CLI::Validator number_between(double least, double most);

// Above zero and finite, `most` included.
[[nodiscard]] CLI::Validator positive_number(double most);

}  // namespace ridgeline
