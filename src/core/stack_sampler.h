#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.h"

namespace ridgeline {

// How often one stack was seen: "outer;inner;innermost", names demangled.
struct SampledStack {
  std::string frames{};
  std::uint64_t samples = 0;
  std::uint32_t tag = 0;  // what StackTag said then; 0 where it was not asked
};

// What the thread that called resume() is doing, by a number of the caller's own. Called from a
// signal handler: must neither lock nor allocate there.
using StackTag = std::uint32_t (*)() noexcept;

struct StackSamples {
  std::vector<SampledStack> stacks{};  // sorted by frames, then by tag
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;  // came when the buffer was full
};

// Native stacks of whichever thread burns processor time, a sample every `period` of it (SIGPROF).
// One at a time in a process; throws Error(BadInput) for a second. While it lives, system calls of
// this process may end early with EINTR, as with any signal.
class StackSampler {
 public:
  explicit StackSampler(Seconds period = Seconds{1e-3}, std::size_t capacity = 100'000,
                        StackTag tag = nullptr);
  ~StackSampler();
  StackSampler(const StackSampler&) = delete;
  StackSampler& operator=(const StackSampler&) = delete;

  void resume();
  void pause();
  // Pauses and resolves what was seen so far.
  [[nodiscard]] StackSamples finish();

 private:
  Seconds period_;
};

}  // namespace ridgeline
