// Reads a trace a few times and prints the speed of each: read_trace FILE [TIMES]. One thread; the
// rate is by its CPU time, so that others on the machine do not count. The last line is the
// process's largest memory use, the file's mapped pages included.

#include <chrono>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>
#include <sys/resource.h>

#include "read_often.h"
#include "trace/trace_file.h"

namespace {

int read_often(const char* path, int times) {
  using Clock = std::chrono::steady_clock;
  const auto cpu_seconds = [] {
    struct timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    const double cpu_start = cpu_seconds();
    const ridgeline::Trace trace = ridgeline::read_trace(path);
    const std::chrono::duration<double> time = Clock::now() - start;
    const double cpu = cpu_seconds() - cpu_start;
    const auto bytes = static_cast<double>(trace.notes.text_bytes);
    fmt::print("{:.3f} s, {:.3f} s CPU: {:.1f} MB/s  {} events of {:.1f} MB of text\n",
               time.count(), cpu, bytes / 1e6 / cpu, trace.events.size(), bytes / 1e6);
  }
  struct rusage use {};
  ::getrusage(RUSAGE_SELF, &use);
  fmt::print("{:.1f} MB at most\n", static_cast<double>(use.ru_maxrss) * 1024 / 1e6);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return ridgeline::bench::read_often_main(count, words, "read_trace", read_often);
}
