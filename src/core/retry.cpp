#include "core/retry.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/interrupt.h"

namespace ridgeline {
namespace {

constexpr Seconds kLongest{60};
constexpr int kMostDoublings = 10;

}  // namespace

bool may_pass(long status) { return status == 408 || status == 429 || status >= 500; }

void wait_before_retry(int attempt, Seconds first, std::optional<Seconds> asked) {
  const Seconds ours = first * std::exp2(std::min(attempt - 1, kMostDoublings));
  const Seconds wait = std::min(std::max(ours, asked.value_or(Seconds{0})), kLongest);
  const auto until = std::chrono::steady_clock::now() + wait;
  while (!interrupted() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::min(wait, Seconds{0.02}));
}

}  // namespace ridgeline
