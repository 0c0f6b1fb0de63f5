#include "core/stack_sampler.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/fault_of.h"

namespace ridgeline {

// With external linkage, so that the test program's symbols name it.
volatile double sampler_test_sink = 0;
void burn_time_for_the_sampler(std::chrono::milliseconds time) {
  // Processor time, which is what is sampled: a busy machine gives little of it.
  const auto now = [] {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  };
  const auto end = now() + time;
  while (now() < end) {
    for (int i = 0; i < 1000; ++i) sampler_test_sink = std::sqrt(sampler_test_sink + i);
  }
}

// Known to nobody else: only the file's own symbols name it.
[[gnu::noinline]] static void burn_time_in_secret(std::chrono::milliseconds time) {
  burn_time_for_the_sampler(time);
  sampler_test_sink = 0;  // so that it is no tail call
}

namespace {

std::uint64_t samples_in(const StackSamples& samples, std::string_view name) {
  std::uint64_t count = 0;
  for (const SampledStack& stack : samples.stacks) {
    if (stack.frames.find(name) != std::string::npos) count += stack.samples;
  }
  return count;
}

TEST(StackSamplerTest, SeesWhereTheTimeIsBurnt) {
  StackSampler sampler;
  sampler.resume();
  burn_time_for_the_sampler(std::chrono::milliseconds(400));
  const StackSamples samples = sampler.finish();
  ASSERT_GT(samples.taken, 10U);
  EXPECT_EQ(samples.lost, 0U);
  EXPECT_GT(samples_in(samples, "burn_time_for_the_sampler"), samples.taken / 2);
}

TEST(StackSamplerTest, NamesFunctionsThatAreNotExported) {
  StackSampler sampler;
  sampler.resume();
  burn_time_in_secret(std::chrono::milliseconds(400));
  const StackSamples samples = sampler.finish();
  EXPECT_GT(samples_in(samples, "burn_time_in_secret"), samples.taken / 2);
}

TEST(StackSamplerTest, AStackCarriesWhatItsThreadWasDoing) {
  StackSampler sampler(Seconds{1e-3}, 1000, []() noexcept -> std::uint32_t { return 42; });
  sampler.resume();
  burn_time_for_the_sampler(std::chrono::milliseconds(300));
  std::thread other([] { burn_time_for_the_sampler(std::chrono::milliseconds(300)); });
  other.join();
  std::uint64_t tagged = 0;
  std::uint64_t untagged = 0;
  for (const SampledStack& stack : sampler.finish().stacks)
    (stack.tag == 42 ? tagged : untagged) += stack.samples;
  EXPECT_GT(tagged, 0U);
  EXPECT_GT(untagged, 0U) << "another thread is not asked";
}

TEST(StackSamplerTest, SeesEveryThread) {
  StackSampler sampler;
  sampler.resume();
  std::thread other([] { burn_time_for_the_sampler(std::chrono::milliseconds(400)); });
  other.join();
  const StackSamples samples = sampler.finish();
  EXPECT_GT(samples_in(samples, "burn_time_for_the_sampler"), samples.taken / 2);
}

TEST(StackSamplerTest, SeesNothingWhilePaused) {
  StackSampler sampler;
  burn_time_for_the_sampler(std::chrono::milliseconds(50));
  EXPECT_EQ(sampler.finish().taken, 0U);
}

TEST(StackSamplerTest, WhatDoesNotFitIsCounted) {
  StackSampler sampler(Seconds{1e-3}, 3);
  sampler.resume();
  burn_time_for_the_sampler(std::chrono::milliseconds(300));
  const StackSamples samples = sampler.finish();
  EXPECT_EQ(samples.taken, 3U);
  EXPECT_GT(samples.lost, 0U);
}

TEST(StackSamplerTest, OnlyOneAtATime) {
  const StackSampler sampler;
  EXPECT_THAT(message_of(Fault::BadInput, [] { const StackSampler second; }),
              testing::HasSubstr("already"));
}

}  // namespace
}  // namespace ridgeline
