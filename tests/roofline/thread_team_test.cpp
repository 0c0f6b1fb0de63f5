#include "roofline/thread_team.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ThreadTeamTest, EveryThreadWorksOnceAndWithTheOthers) {
  const std::vector<int> cores{0, 0, 0};
  std::atomic<int> inside = 0;
  std::vector<int> calls(cores.size());
  static_cast<void>(run_together(cores, [&](std::size_t i) {
    ++calls[i];
    ++inside;
    // Ends only when all have begun: one after the other would never end.
    while (inside.load() < 3) std::this_thread::yield();
  }));
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 1}));
}

TEST(ThreadTeamTest, TheTimeIsThatOfTheSlowest) {
  const auto time = run_together(std::vector<int>{0, 0}, [](std::size_t i) {
    if (i == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_GE(time.count(), 0.02);
}

TEST(ThreadTeamTest, ACoreThatIsNotThereDoesNotStopTheWork) {
  int calls = 0;
  EXPECT_GE(run_together(std::vector<int>{1023}, [&](std::size_t) { ++calls; }).count(), 0);
  EXPECT_GE(run_together(std::vector<int>{-1}, [&](std::size_t) { ++calls; }).count(), 0);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace ridgeline
