#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "cuda/kernels/batch_norm.h"
#include "cuda/kernels/batch_norm_reference.h"

namespace ridgeline::kernels {

struct Case {
  std::size_t rows = 0;
  std::size_t channels = 0;
  Element element = Element::Bf16;
  Schedule schedule = Schedule::Auto;
  bool relu = false;
  bool residual = false;
  double mean = 0.0;  // of the input, beside a spread of one
};

std::ostream& operator<<(std::ostream& out, const Case& c);

struct Outcome {
  std::vector<double> y, mean, invstd, running_mean, running_var;
  std::vector<double> dx, d_residual, d_weight, d_bias;
  std::vector<std::uint8_t> mask;
  bool within_bounds = true;
};

inline constexpr double kMomentum = 0.3;
inline constexpr double kOldMean = 0.5;
inline constexpr double kOldVar = 2.0;

// Forward and backward of random data on the device.
class BatchNormRun {
 public:
  explicit BatchNormRun(const Case& c);
  [[nodiscard]] const BatchNormProblem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<double>& dy() const { return dy_; }
  [[nodiscard]] Outcome run() const;

 private:
  Case case_;
  BatchNormProblem problem_;
  std::vector<double> dy_;
};

}  // namespace ridgeline::kernels
