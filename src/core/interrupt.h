#pragma once

namespace ridgeline {

// From here on the first SIGINT or SIGTERM only sets a flag, so that what was measured is still
// written; another one, a third of a second or more later, ends the program at once.
void watch_interrupts();
[[nodiscard]] bool interrupted() noexcept;
void forget_interrupt();  // for tests

}  // namespace ridgeline
