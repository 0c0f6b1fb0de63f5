#pragma once

#include <cstdint>
#include <memory>

#include "engine/settings.h"
#include "engine/tensors.h"

namespace c10 {
template <typename T>
class ArrayRef;
}

namespace ridgeline {

// Starting weights: fp32 leaves that want a gradient, drawn on their device (billions of numbers
// would take a CPU minutes) from a generator of their own. The distributions are the originals';
// the numbers are not.
class Initialiser {
 public:
  using Sizes = c10::ArrayRef<std::int64_t>;

  explicit Initialiser(std::uint64_t seed, const Device& device = {});
  ~Initialiser();
  Initialiser(const Initialiser&) = delete;
  Initialiser& operator=(const Initialiser&) = delete;

  [[nodiscard]] at::Tensor constant(Sizes sizes, double value) const;
  [[nodiscard]] at::Tensor normal(Sizes sizes, double deviation);
  // Normal, cut off at three deviations.
  [[nodiscard]] at::Tensor truncated_normal(Sizes sizes, double deviation);
  // In [-bound, bound).
  [[nodiscard]] at::Tensor uniform(Sizes sizes, double bound);
  // For data: no gradient.
  [[nodiscard]] at::Tensor integers(Sizes sizes, long low, long high);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgeline
