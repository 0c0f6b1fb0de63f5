#pragma once

namespace ridgeline {

// From here on the first SIGINT or SIGTERM only sets a flag, so that what was measured is still
// written; another one, a third of a second or more later, ends the program at once.
void watch_interrupts();
[[nodiscard]] bool interrupted() noexcept;
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
