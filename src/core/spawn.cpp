#include "core/spawn.h"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/io_error.h"
#include "core/process.h"

namespace ridgeline {
namespace {

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};

// Never 0, 1 or 2, even when ours are closed: the child's dup2 onto those must not hit a pipe.
FileDescriptor above_standard(int number) {
  FileDescriptor low(number);
  if (number > STDERR_FILENO) return low;
  FileDescriptor high(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!high.is_open()) throw io_error("make", "a pipe", errno);
  return high;
}

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw io_error("make", "a pipe", errno);
  FileDescriptor reading = above_standard(ends[0]);
  return {std::move(reading), above_standard(ends[1])};
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : added) replaced = replaced || key == name;
    if (!replaced) entries.emplace_back(text);
  }
  for (const auto& [key, value] : added) entries.push_back(fmt::format("{}={}", key, value));
  return entries;
}

// exec's own form of a list of words; points into `words`.
std::vector<char*> null_ended(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// All that the child needs, made before the fork: after it, memory may be locked by a thread that
// no longer exists, so only plain system calls are allowed.
struct ChildPlan {
  const char* program;
  char** argv;
  char** environment;
  int input;
  int out;
  int err;  // -1: ours
  int failure;
  pid_t parent;
};

[[noreturn]] void become(const ChildPlan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // it died before the line above
  bool fine = ::dup2(plan.input, STDIN_FILENO) >= 0 && ::dup2(plan.out, STDOUT_FILENO) >= 0;
  if (plan.err >= 0) fine = fine && ::dup2(plan.err, STDERR_FILENO) >= 0;
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (fine) ::execve(plan.program, plan.argv, plan.environment);
  const int reason = errno;
  if (::write(plan.failure, &reason, sizeof reason) < 0) ::_exit(126);
  ::_exit(127);
}

// Signals wait until the child has dropped our handlers, or it would swallow one sent at once.
pid_t fork_quietly(const ChildPlan& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(plan);
  const int reason = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = reason;
  return pid;
}

void stop_blocking(const FileDescriptor& file) {
  if (file.is_open()) ::fcntl(file.number(), F_SETFL, O_NONBLOCK);
}

// Empty when exec succeeded, which closes the pipe; else the child's errno.
int failure_of(const FileDescriptor& pipe) {
  int reason = 0;
  ssize_t got = 0;
  do got = ::read(pipe.number(), &reason, sizeof reason);
  while (got < 0 && errno == EINTR);
  return got == sizeof reason ? reason : 0;
}

}  // namespace

Spawned spawn(const SpawnRequest& request) {
  RIDGELINE_CHECK(!request.argv.empty());
  const auto program = find_program(request.argv.front());
  if (!program) throw io_error("start", request.argv.front(), ENOENT);
  std::vector<std::string> words = request.argv;
  std::vector<std::string> entries = merged_environment(request.environment);
  std::vector<char*> argv = null_ended(words);
  std::vector<char*> environment = null_ended(entries);
  Pipe input = make_pipe();
  Pipe out = make_pipe();
  Pipe err = request.pass_stderr_through ? Pipe{} : make_pipe();
  Pipe failure = make_pipe();
  const ChildPlan plan{.program = program->c_str(),
                       .argv = argv.data(),
                       .environment = environment.data(),
                       .input = input.reading.number(),
                       .out = out.writing.number(),
                       .err = err.writing.number(),
                       .failure = failure.writing.number(),
                       .parent = ::getpid()};
  const pid_t pid = fork_quietly(plan);
  if (pid < 0) throw io_error("start", *program, errno);
  ::setpgid(pid, pid);  // here too: whoever is first
  failure.writing.close();
  if (const int reason = failure_of(failure.reading); reason != 0) {
    ::waitpid(pid, nullptr, 0);
    throw io_error("start", *program, reason);
  }
  for (const FileDescriptor* end : {&input.writing, &out.reading, &err.reading})
    stop_blocking(*end);
  return {pid, std::move(input.writing), std::move(out.reading), std::move(err.reading)};
}

}  // namespace ridgeline
