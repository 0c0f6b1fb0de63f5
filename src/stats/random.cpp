#include "stats/random.h"

#include "core/error.h"

namespace ridgeline {
namespace {

constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

// SplitMix64's output function (Steele, Lea and Flood 2014, with Stafford's mix 13).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

}  // namespace

// Stream 0 is SplitMix64 itself, which gives published values to test against.
Random::Random(std::uint64_t seed, std::uint64_t stream) noexcept
    : key_(stream == 0 ? seed : mix(seed + mix(stream * kGoldenGamma))) {}

std::uint64_t Random::next() noexcept { return mix(key_ + ++counter_ * kGoldenGamma); }

double Random::uniform() noexcept { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  RIDGELINE_CHECK(bound > 0);
  // Draws under 2^64 mod bound are rejected: what is left holds each remainder equally often.
  const std::uint64_t rejected = (0 - bound) % bound;
  std::uint64_t draw = next();
  while (draw < rejected) draw = next();
  return draw % bound;
}

}  // namespace ridgeline
