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

constexpr std::size_t kLargestBlock = std::size_t{64} << 20;  // each thread's, read and written
constexpr std::size_t kMostInAll = std::size_t{1} << 30;
constexpr int kRounds = 5;

}  // namespace

BytesPerSecond measure_host_copy(int threads) {
  const std::size_t block = std::min(kLargestBlock, kMostInAll / static_cast<std::size_t>(threads));
  // All memory before any thread: a failure then is an error, not the end of the program.
  std::vector<std::shared_ptr<std::byte>> blocks;
  for (int i = 0; i < 2 * threads; ++i) {
    blocks.push_back(allocate_on_heap(block));
    std::memset(blocks.back().get(), 1, block);
  }
  std::vector<Clock::time_point> starts(kRounds);
  std::vector<Clock::time_point> ends(kRounds);
  const auto count = static_cast<std::ptrdiff_t>(threads);
  std::size_t round = 0;
  std::barrier begin(count, [&]() noexcept { starts[round] = Clock::now(); });
  std::barrier end(count, [&]() noexcept { ends[round++] = Clock::now(); });
  const auto copy = [&](std::size_t worker) {
    for (int i = 0; i < kRounds; ++i) {
      begin.arrive_and_wait();
      std::memcpy(blocks[2 * worker].get(), blocks[2 * worker + 1].get(), block);
      end.arrive_and_wait();
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) workers.emplace_back(copy, i);
  for (std::thread& worker : workers) worker.join();
  Seconds fastest = ends[0] - starts[0];
  for (std::size_t i = 1; i < kRounds; ++i)
    fastest = std::min<Seconds>(fastest, ends[i] - starts[i]);
  return Bytes{2.0 * threads * static_cast<double>(block)} / fastest;
}

}  // namespace ridgeline
