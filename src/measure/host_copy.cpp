#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "measure/loader_bench.h"

namespace ridgeline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kBlock = std::size_t{64} << 20;  // each thread's, read and written
constexpr int kRounds = 5;

}  // namespace

BytesPerSecond measure_host_copy(int threads) {
  std::vector<Clock::time_point> starts(kRounds);
  std::vector<Clock::time_point> ends(kRounds);
  const auto count = static_cast<std::ptrdiff_t>(threads);
  std::size_t round = 0;
  std::barrier begin(count, [&]() noexcept { starts[round] = Clock::now(); });
  std::barrier end(count, [&]() noexcept { ends[round++] = Clock::now(); });
  const auto copy = [&] {
    const auto from = allocate_on_heap(kBlock);
    const auto to = allocate_on_heap(kBlock);
    std::memset(from.get(), 1, kBlock);
    std::memset(to.get(), 2, kBlock);
    for (int i = 0; i < kRounds; ++i) {
      begin.arrive_and_wait();
      std::memcpy(to.get(), from.get(), kBlock);
      end.arrive_and_wait();
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(copy);
  for (std::thread& worker : workers) worker.join();
  Seconds fastest = ends[0] - starts[0];
  for (std::size_t i = 1; i < kRounds; ++i)
    fastest = std::min<Seconds>(fastest, ends[i] - starts[i]);
  return Bytes{2.0 * threads * static_cast<double>(kBlock)} / fastest;
}

}  // namespace ridgeline
