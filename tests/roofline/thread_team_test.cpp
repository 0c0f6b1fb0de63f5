#include "roofline/thread_team.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

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

TEST(ThreadTeamTest, WhereAThreadCannotBeStartedNobodyWaitsForIt) {
  int left = 2;
  std::atomic<int> calls = 0;
  const auto start = [&](std::function<void()> run) {
    if (left-- == 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::jthread(std::move(run));
  };
  const auto failing = [&] {
    static_cast<void>(run_together(
        std::vector<int>{-1, -1, -1}, [&](std::size_t) { ++calls; }, start));
  };
  EXPECT_THAT(message_of(Fault::Device, failing), testing::HasSubstr("thread 3 of 3"));
  EXPECT_EQ(calls, 0);
}

TEST(ThreadTeamTest, ACoreThatIsNotThereDoesNotStopTheWork) {
  int calls = 0;
  EXPECT_GE(run_together(std::vector<int>{1023}, [&](std::size_t) { ++calls; }).count(), 0);
  EXPECT_GE(run_together(std::vector<int>{-1}, [&](std::size_t) { ++calls; }).count(), 0);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace ridgeline
