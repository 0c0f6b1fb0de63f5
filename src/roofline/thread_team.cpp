#include "roofline/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using Clock = std::chrono::steady_clock;

void stay_on(int core) {
  if (core < 0 || core >= CPU_SETSIZE) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

// A turn of its own in a cache line of its own.
struct alignas(64) Turn {
  Clock::time_point begin{};
  Clock::time_point end{};
};

}  // namespace

Seconds run_together(std::span<const int> cores, const std::function<void(std::size_t)>& work,
                     const StartThread& start) {
  RIDGELINE_CHECK(!cores.empty());
  std::vector<Turn> turns(cores.size());
  std::atomic<std::size_t> ready = 0;
  std::atomic<bool> abandoned = false;  // some will never be ready
  const auto turn = [&](std::size_t i) {
    stay_on(cores[i]);
    ready.fetch_add(1);
    // Waking takes longer than the wait; a busy machine gets its core back.
    while (ready.load() < cores.size() && !abandoned.load()) std::this_thread::yield();
    if (abandoned.load()) return;
    turns[i].begin = Clock::now();
    work(i);
    turns[i].end = Clock::now();
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(cores.size());
    try {
      for (std::size_t i = 0; i < cores.size(); ++i) {
        const auto run = [&turn, i] { turn(i); };
        threads.push_back(start ? start(run) : std::jthread(run));
      }
    } catch (const std::system_error& error) {
      abandoned = true;
      throw Error(Fault::Device, fmt::format("cannot start thread {} of {}: {}", threads.size() + 1,
                                             cores.size(), error.what()));
    }
  }
  const auto begin = std::ranges::min(turns, {}, &Turn::begin).begin;
  return std::ranges::max(turns, {}, &Turn::end).end - begin;
}

}  // namespace ridgeline
