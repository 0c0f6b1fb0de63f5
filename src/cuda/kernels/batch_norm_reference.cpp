#include "cuda/kernels/batch_norm_reference.h"

#include <algorithm>
#include <cmath>

namespace ridgeline::kernels {
namespace {

std::vector<double> column_means(const std::vector<double>& values, std::size_t rows,
                                 std::size_t channels) {
  std::vector<double> means(channels, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < channels; ++c) means[c] += values[r * channels + c];
  }
  for (double& mean : means) mean /= static_cast<double>(rows);
  return means;
}

// Fills y and before_relu from the statistics already in `result`.
void apply(const BatchNormProblem& problem, BatchNormResult& result) {
  result.before_relu.resize(problem.x.size());
  result.y.resize(problem.x.size());
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    const std::size_t c = i % problem.channels;
    double z = (problem.x[i] - result.mean[c]) * result.invstd[c] * problem.weight[c];
    z += problem.bias[c];
    if (!problem.residual.empty()) z += problem.residual[i];
    result.before_relu[i] = z;
    result.y[i] = problem.relu ? std::max(z, 0.0) : z;
  }
}

}  // namespace

BatchNormResult batch_norm_reference(const BatchNormProblem& problem) {
  BatchNormResult result;
  result.mean = column_means(problem.x, problem.rows, problem.channels);
  std::vector<double> squares(problem.x.size());
  for (std::size_t i = 0; i < problem.x.size(); ++i) {
    const double distance = problem.x[i] - result.mean[i % problem.channels];
    squares[i] = distance * distance;
  }
  const auto n = static_cast<double>(problem.rows);
  for (const double variance : column_means(squares, problem.rows, problem.channels)) {
    result.invstd.push_back(1.0 / std::sqrt(variance + problem.eps));
    result.unbiased_variance.push_back(problem.rows > 1 ? variance * n / (n - 1.0) : 0.0);
  }
  apply(problem, result);
  return result;
}

BatchNormResult batch_norm_inference_reference(const BatchNormProblem& problem,
                                               const std::vector<double>& mean,
                                               const std::vector<double>& variance) {
  BatchNormResult result;
  result.mean = mean;
  for (const double v : variance) result.invstd.push_back(1.0 / std::sqrt(v + problem.eps));
  apply(problem, result);
  return result;
}

BatchNormGradients batch_norm_backward_reference(const BatchNormProblem& problem,
                                                 const std::vector<double>& dy) {
  const BatchNormResult forward = batch_norm_reference(problem);
  const auto n = static_cast<double>(problem.rows);
  BatchNormGradients gradients;
  gradients.d_residual = dy;
  std::vector<double> normalised(dy.size());
  std::vector<double> products(dy.size());
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const std::size_t c = i % problem.channels;
    if (problem.relu && forward.before_relu[i] <= 0.0) gradients.d_residual[i] = 0.0;
    normalised[i] = (problem.x[i] - forward.mean[c]) * forward.invstd[c];
    products[i] = gradients.d_residual[i] * normalised[i];
  }
  const auto mean_g = column_means(gradients.d_residual, problem.rows, problem.channels);
  const auto mean_product = column_means(products, problem.rows, problem.channels);
  for (std::size_t c = 0; c < problem.channels; ++c) {
    gradients.d_bias.push_back(mean_g[c] * n);
    gradients.d_weight.push_back(mean_product[c] * n);
  }
  gradients.dx.resize(dy.size());
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const std::size_t c = i % problem.channels;
    gradients.dx[i] = problem.weight[c] * forward.invstd[c] *
                      (gradients.d_residual[i] - mean_g[c] - normalised[i] * mean_product[c]);
  }
  return gradients;
}

}  // namespace ridgeline::kernels
