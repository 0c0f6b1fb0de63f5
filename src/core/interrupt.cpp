#include "core/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <unistd.h>

namespace ridgeline {
namespace {

constexpr std::int64_t kSameRequestNs = 300'000'000;
constexpr int kExitInterrupted = 130;  // docs/exit_codes.md

// The mutable globals of the layer, for a signal handler can reach nothing else: when the first
// signal came, in nanoseconds of the monotonic clock; 0 while none has.
std::atomic<std::int64_t> first_signal{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "needed in a signal handler");

std::atomic<bool> broken_pipe{false};  // likewise, only a signal handler sets it

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Schedulers and timeout(1) signal the process and then its whole group: twice within microseconds.
// That is one request to end, not an impatient second one.
extern "C" void on_interrupt(int number) {
  std::int64_t none = 0;
  const std::int64_t now = monotonic_ns();
  if (first_signal.compare_exchange_strong(none, now)) return;
  if (now - none > kSameRequestNs) ::_exit(128 + number);
}

extern "C" void on_broken_pipe(int /*number*/) {
  std::int64_t none = 0;
  (void)first_signal.compare_exchange_strong(none, monotonic_ns());
  broken_pipe.store(true);
}

extern "C" void end_program(int /*number*/) { ::_exit(kExitInterrupted); }

void answer_interrupts(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // file input and output go on; poll() and sleeps still return
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

void watch_interrupts() { answer_interrupts(on_interrupt); }

void watch_broken_pipes() {
  struct sigaction action {};
  action.sa_handler = on_broken_pipe;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGPIPE, &action, nullptr);
}

bool take_broken_pipe() noexcept { return broken_pipe.exchange(false); }

InterruptEndsProgram::InterruptEndsProgram() {
  if (interrupted()) ::_exit(kExitInterrupted);
  answer_interrupts(end_program);
}

InterruptEndsProgram::~InterruptEndsProgram() { watch_interrupts(); }

bool interrupted() noexcept { return first_signal.load() != 0; }

void forget_interrupt() { first_signal.store(0); }

}  // namespace ridgeline
