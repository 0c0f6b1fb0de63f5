#pragma once

#include <cstdint>

namespace ridgeline {

// Counter-based (the finaliser of SplitMix64 over seed and counter): draw i of a stream is a pure
// function of seed, stream and i, so that a result can be repeated from the seed it records, on any
// compiler, which the distributions of <random> do not promise.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) noexcept;

  [[nodiscard]] std::uint64_t next() noexcept;
  // Uniform in [0, 1), 53 bits.
  [[nodiscard]] double uniform() noexcept;
  // Uniform in [0, bound), without modulo bias; `bound` > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace ridgeline
