// Seconds from a path to CIFAR-10 in memory, checked: read_cifar PATH [TIMES]. The first time may
// read the disk; the others show what a warm cache gives.

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "data/cifar10.h"
#include "read_often.h"

namespace {

int read_often(const char* path, int times) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    const auto data = ridgeline::load_cifar10(path);
    const std::chrono::duration<double> time = Clock::now() - start;
    if (!data) {
      fmt::print(stderr, "no CIFAR-10 at '{}'\n", path);
      return 1;
    }
    fmt::print("{:.3f} s  {}\n", time.count(), data->description);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  return ridgeline::bench::read_often_main(count, words, "read_cifar", read_often);
}
