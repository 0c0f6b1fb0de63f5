#include "core/interrupt.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(InterruptTest, TheFirstSignalSetsAFlagOnly) {
  watch_interrupts();
  forget_interrupt();
  EXPECT_FALSE(interrupted());
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(interrupted());
  forget_interrupt();
  EXPECT_FALSE(interrupted());
}

TEST(InterruptTest, TheSameRequestDeliveredTwiceCountsOnce) {
  watch_interrupts();
  forget_interrupt();
  ASSERT_EQ(std::raise(SIGINT), 0);
  ASSERT_EQ(std::raise(SIGINT), 0);
  EXPECT_TRUE(interrupted());
  forget_interrupt();
}

TEST(InterruptTest, AReaderThatGoesAwayIsARequestToEndHoweverOften) {
  watch_broken_pipes();
  forget_interrupt();
  EXPECT_FALSE(take_broken_pipe());
  ASSERT_EQ(std::raise(SIGPIPE), 0);
  EXPECT_TRUE(interrupted());
  EXPECT_TRUE(take_broken_pipe());
  EXPECT_FALSE(take_broken_pipe());
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  ASSERT_EQ(std::raise(SIGPIPE), 0);
  forget_interrupt();
}

TEST(InterruptDeathTest, ASecondSignalEndsTheProgramAtOnce) {
  const auto interrupt_twice = [] {
    watch_interrupts();
    (void)std::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    (void)std::raise(SIGTERM);
  };
  EXPECT_EXIT(interrupt_twice(), ::testing::ExitedWithCode(128 + SIGTERM), "");
}

TEST(InterruptDeathTest, TheFirstSignalEndsWorkThatLeavesNothing) {
  const auto interrupt_once = [] {
    watch_interrupts();
    const InterruptEndsProgram at_once;
    (void)std::raise(SIGTERM);
  };
  EXPECT_EXIT(interrupt_once(), ::testing::ExitedWithCode(130), "");
}

TEST(InterruptTest, AfterSuchWorkTheFirstSignalIsAFlagAgain) {
  watch_interrupts();
  forget_interrupt();
  { const InterruptEndsProgram at_once; }
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(interrupted());
  forget_interrupt();
}

}  // namespace
}  // namespace ridgeline
