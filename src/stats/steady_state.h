#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// Iterations [begin, end) at one level. Lone interruptions within count as iterations, but not
// towards level and deviation.
struct Segment {
  std::size_t begin{};
  std::size_t end{};
  Seconds level{};  // mean
  Seconds deviation{};
};

struct SteadyStateOptions {
  Seconds timer_resolution{0};
  double merge_fraction = 0.01;     // levels nearer than this are one level
  std::size_t min_iterations = 30;  // that the last segment must hold to be called steady
};

// Where the series settles, after Barrett et al. (2017), "Virtual Machine Warmup Blows Hot and
// Cold". "No steady state" is a result: such a series must not be averaged.
struct SteadyState {
  enum class Kind {
    Flat,           // one level throughout
    Warmup,         // settles at the fastest level it has had
    Slowdown,       // settles, but was faster before
    NoSteadyState,  // the last level has lasted too few iterations
    TooFew,         // fewer iterations than a steady segment must hold
  };
  Kind kind = Kind::TooFew;
  std::size_t from{};  // first steady iteration; the number of iterations where none is steady
  std::vector<Segment> segments{};
  // Of the last segment, steady or not: read `kind` first. TooFew: the median of all, no segments.
  Seconds level{};

  [[nodiscard]] bool is_steady() const {
    return kind == Kind::Flat || kind == Kind::Warmup || kind == Kind::Slowdown;
  }
};

// Throws Error when a sample is not finite. Half a second for 100,000 iterations at worst.
[[nodiscard]] SteadyState find_steady_state(std::span<const Seconds> times,
                                            const SteadyStateOptions& options = {});

}  // namespace ridgeline
