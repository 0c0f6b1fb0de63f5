#include "core/interrupt.h"

#include <csignal>

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

TEST(InterruptDeathTest, ASecondSignalEndsTheProgramAtOnce) {
  const auto interrupt_twice = [] {
    watch_interrupts();
    (void)std::raise(SIGINT);
    (void)std::raise(SIGTERM);
  };
  EXPECT_EXIT(interrupt_twice(), ::testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace ridgeline
