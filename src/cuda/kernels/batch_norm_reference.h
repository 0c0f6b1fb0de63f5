#pragma once

#include <cstddef>
#include <vector>

// BatchNorm as its definition says, in double precision; every kernel is tested against it.
namespace ridgeline::kernels {

// Row-major [rows, channels].
struct BatchNormProblem {
  std::size_t rows = 0;
  std::size_t channels = 0;
  std::vector<double> x;
  std::vector<double> residual;  // empty: none
  std::vector<double> weight;
  std::vector<double> bias;
  double eps = 1e-5;
  bool relu = false;
};

struct BatchNormResult {
  std::vector<double> y;
  std::vector<double> before_relu;
  std::vector<double> mean;
  std::vector<double> invstd;
  std::vector<double> unbiased_variance;  // 0 for a single row, which has none
};

struct BatchNormGradients {
  std::vector<double> dx;
  std::vector<double> d_residual;  // also where there was none: the gradient behind the ReLU
  std::vector<double> d_weight;
  std::vector<double> d_bias;
};

// With the statistics of the batch.
[[nodiscard]] BatchNormResult batch_norm_reference(const BatchNormProblem& problem);

// With given statistics; only `y` and `before_relu` are filled.
[[nodiscard]] BatchNormResult batch_norm_inference_reference(const BatchNormProblem& problem,
                                                             const std::vector<double>& mean,
                                                             const std::vector<double>& variance);

// Through batch_norm_reference, statistics included.
[[nodiscard]] BatchNormGradients batch_norm_backward_reference(const BatchNormProblem& problem,
                                                               const std::vector<double>& dy);

}  // namespace ridgeline::kernels
