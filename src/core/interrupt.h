#pragma once

namespace ridgeline {

// From here on the first SIGINT or SIGTERM only sets a flag, so that what was measured is still
// written; another one, a third of a second or more later, ends the program at once.
void watch_interrupts();
[[nodiscard]] bool interrupted() noexcept;
// From here on a reader of our output that goes away (`| head`) is a request to end as well,
// however often it is met, and no longer the end itself.
void watch_broken_pipes();
// Whether one was met since it was last asked. Printing to it only fails.
[[nodiscard]] bool take_broken_pipe() noexcept;
void forget_interrupt();  // for tests

// While one lives the first signal ends the program at once, with the exit code of an interrupt:
// for work that leaves nothing worth writing when it stops half way.
class InterruptEndsProgram {
 public:
  InterruptEndsProgram();
  ~InterruptEndsProgram();
  InterruptEndsProgram(const InterruptEndsProgram&) = delete;
  InterruptEndsProgram& operator=(const InterruptEndsProgram&) = delete;
};

}  // namespace ridgeline
