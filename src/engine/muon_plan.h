#pragma once

#include <algorithm>
#include <cstdint>

namespace ridgeline {

// What Muon does to a matrix, apart from tensors: for the update itself and for those who count it.
// As torch.optim.Muon has it.
struct NewtonSchulz {
  static constexpr int kSteps = 5;
  static constexpr double kA = 3.4445;
  static constexpr double kB = -4.7750;
  static constexpr double kC = 2.0315;
  static constexpr double kEps = 1e-7;  // the least norm that is divided by
};

// A convolution's filters are a matrix with a row an output channel.
struct MatrixShape {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  auto operator<=>(const MatrixShape&) const = default;
  [[nodiscard]] std::int64_t numbers() const { return rows * columns; }
};

// Matrices of one shape are updated in stacks, by few kernels; a stack holds no more than this, so
// that what an update needs beside the weights stays small beside a large model: 128 MiB in fp32.
constexpr std::int64_t kMostStacked = std::int64_t{1} << 25;

[[nodiscard]] inline std::int64_t matrices_a_stack(const MatrixShape& shape) {
  return std::max<std::int64_t>(1, kMostStacked / std::max<std::int64_t>(1, shape.numbers()));
}

// An iteration multiplies the matrix with its transpose (2 m^2 n, the shorter side being m), that
// with itself (2 m^3) and the sum with the matrix (2 m^2 n).
[[nodiscard]] inline double newton_schulz_flop(const MatrixShape& shape) {
  const auto m = static_cast<double>(std::min(shape.rows, shape.columns));
  const auto n = static_cast<double>(std::max(shape.rows, shape.columns));
  return NewtonSchulz::kSteps * (4 * m * m * n + 2 * m * m * m);
}

}  // namespace ridgeline
