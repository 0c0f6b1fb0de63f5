// Reads a CSV of ncu a few times and prints the speed of each: read_ncu FILE [TIMES]. One thread;
// the rate is by its CPU time, so that others on the machine do not count.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "roofline/ncu_file.h"

namespace {

double cpu_seconds() {
  struct timespec now {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int read_often(const char* path, int times) {
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  for (int i = 0; i < times; ++i) {
    const double start = cpu_seconds();
    const ridgeline::NcuPoints read = ridgeline::read_ncu_file(path);
    const double cpu = cpu_seconds() - start;
    fmt::print("{:.3f} s CPU: {:.0f} MB/s  {} kernels of {:.1f} MB\n", cpu, bytes / 1e6 / cpu,
               read.points.size(), bytes / 1e6);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    std::fputs("usage: read_ncu FILE [TIMES]\n", stderr);
    return 2;
  }
  try {
    return read_often(words[1], count > 2 ? std::atoi(words[2]) : 5);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
