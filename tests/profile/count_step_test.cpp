#include "profile/count_step.h"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;

// What both sides do, in one list.
using Log = std::vector<std::string>;

class SteppedWorkload final : public Workload {
 public:
  explicit SteppedWorkload(Log& log) : log_(log) {}
  StepTimes step() override {
    log_.emplace_back("step");
    if (fails) throw std::runtime_error("out of memory");
    return {};
  }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  void reset_peak_memory() override {}
  void activate() override {}
  void grow_memory(Bytes) override {}
  void keep_state() override { log_.emplace_back("keep"); }
  void restore_state() override { log_.emplace_back("restore"); }

  bool fails = false;

 private:
  Log& log_;
};

class CountedPasses final : public DeviceCounters {
 public:
  CountedPasses(Log& log, std::size_t passes) : log_(log), passes_(passes) {}
  [[nodiscard]] std::size_t passes() const override { return passes_; }
  void begin_pass() override { log_.emplace_back("begin"); }
  bool end_pass() override {
    log_.emplace_back("end");
    return ++made_ < passes_;
  }
  [[nodiscard]] CounterReadings finish() override { return {.passes = made_}; }

 private:
  Log& log_;
  std::size_t passes_;
  std::size_t made_ = 0;
};

TEST(CountStepTest, EveryPassStartsFromTheSameStateAndTheLastOneIsUndoneToo) {
  Log log;
  SteppedWorkload workload(log);
  CountedPasses counters(log, 2);
  const auto readings = count_step(workload, counters, [] { return false; });
  ASSERT_TRUE(readings.has_value());
  EXPECT_EQ(readings->passes, 2);
  EXPECT_THAT(log, ElementsAre("keep", "begin", "step", "end", "restore", "begin", "step", "end",
                               "restore"));
}

TEST(CountStepTest, AFailureInAPassLeavesTheStateAsItWas) {
  Log log;
  SteppedWorkload workload(log);
  workload.fails = true;
  CountedPasses counters(log, 2);
  EXPECT_THROW((void)count_step(workload, counters, [] { return false; }), std::runtime_error);
  EXPECT_THAT(log, ElementsAre("keep", "begin", "step", "restore"));
}

class EndlessPasses final : public DeviceCounters {
 public:
  [[nodiscard]] std::size_t passes() const override { return 3; }
  void begin_pass() override { ++made; }
  bool end_pass() override { return true; }
  [[nodiscard]] CounterReadings finish() override { return {}; }
  std::size_t made = 0;
};

TEST(CountStepTest, CountersThatNeverHaveEnoughAreAnError) {
  Log log;
  SteppedWorkload workload(log);
  EndlessPasses counters;
  EXPECT_THROW((void)count_step(workload, counters, [] { return false; }), Error);
  EXPECT_LE(counters.made, 10U);
}

TEST(CountStepTest, AnInterruptionEndsItBetweenPasses) {
  Log log;
  SteppedWorkload workload(log);
  CountedPasses counters(log, 5);
  EXPECT_FALSE(count_step(workload, counters, [&] { return log.size() > 4; }).has_value());
  EXPECT_EQ(log.back(), "restore");
}

}  // namespace
}  // namespace ridgeline
