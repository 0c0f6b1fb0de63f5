#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ridgeline {

// Starting weights: fp32 on the CPU, leaves that want a gradient, drawn from a generator of their
// own. The distributions are the originals'; the numbers are not. Included by sources only.
class Initialiser {
 public:
  explicit Initialiser(std::uint64_t seed);

  [[nodiscard]] at::Tensor constant(at::IntArrayRef sizes, double value) const;
  [[nodiscard]] at::Tensor normal(at::IntArrayRef sizes, double deviation);
  // Normal, cut off at three deviations.
  [[nodiscard]] at::Tensor truncated_normal(at::IntArrayRef sizes, double deviation);
  // In [-bound, bound).
  [[nodiscard]] at::Tensor uniform(at::IntArrayRef sizes, double bound);
  // For data: no gradient.
  [[nodiscard]] at::Tensor integers(at::IntArrayRef sizes, long low, long high);

 private:
  at::Generator generator_;
};

}  // namespace ridgeline
