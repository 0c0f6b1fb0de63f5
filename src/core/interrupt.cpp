#include "core/interrupt.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace ridgeline {
namespace {

// The one mutable global of the layer: a signal handler can reach nothing else.
std::atomic<bool> asked_to_end{false};
static_assert(std::atomic<bool>::is_always_lock_free, "needed in a signal handler");

extern "C" void on_interrupt(int number) {
  if (asked_to_end.exchange(true)) ::_exit(128 + number);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;  // file input and output go on; poll() and sleeps still return
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() noexcept { return asked_to_end.load(); }

void forget_interrupt() { asked_to_end.store(false); }

}  // namespace ridgeline
