#include "read_often.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline::bench {

int read_often_main(int count, char** words, const char* name, ReadOften read_often) {
  constexpr int kUsualTimes = 5;
  const int times = count > 2 ? std::atoi(words[2]) : kUsualTimes;
  if (count < 2 || times < 1) {
    fmt::print(stderr, "usage: {} PATH [TIMES]\n", name);
    return 2;
  }
  try {
    return read_often(words[1], times);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace ridgeline::bench
