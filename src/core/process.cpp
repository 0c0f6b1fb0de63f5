#include "core/process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "core/io_error.h"
#include "core/spawn.h"

namespace ridgeline {
namespace {

using Clock = std::chrono::steady_clock;

// A child that closes its input early must cost us a failed write, not our life.
class [[nodiscard]] PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&only_pipe_);
    sigaddset(&only_pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &only_pipe_, &before_);
  }
  ~PipeSignalHeld() {
    constexpr timespec kNow{};
    if (sigismember(&before_, SIGPIPE) == 0) ::sigtimedwait(&only_pipe_, nullptr, &kNow);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

 private:
  sigset_t only_pipe_;
  sigset_t before_;
};

// Everything that is there now; closes the pipe at its end.
void read_ready(FileDescriptor& pipe, std::string& text) {
  std::array<char, 65536> block;
  while (pipe.is_open()) {
    const ssize_t got = ::read(pipe.number(), block.data(), block.size());
    if (got > 0) {
      text.append(block.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      pipe.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Attends one child until it has ended: feeds and drains its pipes, and ends it when due.
class Supervisor {
 public:
  Supervisor(Spawned child, const ChildOptions& options)
      : child_(std::move(child)),
        options_(options),
        unsent_(options.input),
        exit_event_(static_cast<int>(::syscall(SYS_pidfd_open, child_.pid, 0))) {}
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() {
    if (reaped_) return;
    ::kill(-child_.pid, SIGKILL);
    ::waitpid(child_.pid, nullptr, 0);
  }

  ChildResult attend() {
    while (!has_ended()) {
      wait_for_news();
      send_input();
      read_ready(child_.out, result_.out);
      read_ready(child_.err, result_.err);
      end_when_due();
    }
    reap();
    // What it wrote last. Not until the end of the pipe: a grandchild may hold it open for ever.
    read_ready(child_.out, result_.out);
    read_ready(child_.err, result_.err);
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    const int code =
        ::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    return code == 0 ? info.si_pid == child_.pid : errno != EINTR;
  }

  // Wakes rarely when nothing happens: the child may be measuring on the same cores.
  void wait_for_news() {
    std::array<pollfd, 4> events{
        pollfd{exit_event_.number(), POLLIN, 0}, pollfd{child_.input.number(), POLLOUT, 0},
        pollfd{child_.out.number(), POLLIN, 0}, pollfd{child_.err.number(), POLLIN, 0}};
    constexpr int kWithEventMs = 100;
    constexpr int kWithoutEventMs = 10;
    ::poll(events.data(), events.size(), exit_event_.is_open() ? kWithEventMs : kWithoutEventMs);
  }

  void send_input() {
    while (child_.input.is_open()) {
      if (unsent_.empty()) return child_.input.close();
      const ssize_t sent = ::write(child_.input.number(), unsent_.data(), unsent_.size());
      if (sent > 0) {
        unsent_.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR) {
        child_.input.close();  // it does not want the rest
      }
    }
  }

  void end_when_due() {
    const auto now = Clock::now();
    if (!asked_at_) {
      const bool late = options_.timeout && now - started_ > *options_.timeout;
      if (!late && (options_.outlives_interrupt || !interrupted())) return;
      result_.timed_out = late;
      asked_at_ = now;
      ::kill(-child_.pid, SIGTERM);
    } else if (now - *asked_at_ > options_.grace) {
      ::kill(-child_.pid, SIGKILL);
    }
  }

  void reap() {
    // Until it is reaped its number cannot be reused, so this meets only what it left behind.
    if (asked_at_) ::kill(-child_.pid, SIGKILL);
    int status = 0;
    pid_t got = 0;
    do got = ::waitpid(child_.pid, &status, 0);
    while (got < 0 && errno == EINTR);
    reaped_ = true;
    if (got != child_.pid) throw io_error("wait for", "a child process", errno);
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  }

  Spawned child_;
  const ChildOptions& options_;
  std::string_view unsent_;
  FileDescriptor exit_event_;  // closed on kernels before 5.3; then we look more often
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> asked_at_;
  bool reaped_ = false;
  ChildResult result_;
};

}  // namespace

ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options) {
  const PipeSignalHeld held;
  Supervisor supervisor(spawn({.argv = argv,
                               .environment = options.environment,
                               .pass_stderr_through = options.pass_stderr_through}),
                        options);
  return supervisor.attend();
}

}  // namespace ridgeline
