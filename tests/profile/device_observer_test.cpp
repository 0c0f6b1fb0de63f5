#include "profile/device_observer.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

class HostSide final : public OpObserver {
 public:
  explicit HostSide(std::string& log) : log_(log) {}
  void resume(Keep) override { log_ += 'h'; }
  void pause() override { log_ += 'H'; }
  void withdraw() override { log_ += 'W'; }
  void begin_step(std::int64_t) override {}
  void end_step() override {}
  void reset() override { log_ += 'r'; }
  [[nodiscard]] Recording finish() override {
    return {
        .steps = {{.number = 0, .start = 100, .end = 200}, {.number = 1, .start = 300, .end = 400}},
        .device_unseen = true};
  }

 private:
  std::string& log_;
};

class DeviceSide final : public DeviceObserver {
 public:
  DeviceSide(std::string& log, ObservedWork work) : log_(log), work_(std::move(work)) {}
  void resume() override { log_ += 'd'; }
  void pause() override { log_ += 'D'; }
  void withdraw() override { log_ += 'w'; }
  [[nodiscard]] bool is_away() const override { return log_.ends_with('w'); }
  void reset() override { log_ += 'R'; }
  [[nodiscard]] ObservedWork finish() override { return work_; }

 private:
  std::string& log_;
  ObservedWork work_;
};

void unexpected(const Error& reason) { ADD_FAILURE() << reason.what(); }

Recording recorded(ObservedWork work) {
  std::string log;
  return watch_both(std::make_unique<HostSide>(log),
                    std::make_unique<DeviceSide>(log, std::move(work)), unexpected)
      ->finish();
}

TEST(DeviceObserverTest, TheHostIsWatchedInsideTheDevice) {
  std::string log;
  const auto both = watch_both(std::make_unique<HostSide>(log),
                               std::make_unique<DeviceSide>(log, ObservedWork{}), unexpected);
  both->resume(Keep::Everything);
  both->pause();
  both->reset();
  EXPECT_FALSE(both->is_away()) << "a device that is paused is still there";
  both->withdraw();
  EXPECT_TRUE(both->is_away());
  EXPECT_EQ(log, "dhHDrRWw");
}

class FailingDevice final : public DeviceObserver {
 public:
  explicit FailingDevice(int good) : good_(good) {}
  void resume() override {
    if (good_-- <= 0) throw Error(Fault::Device, "another subscriber");
  }
  void pause() override { throw Error(Fault::Device, "cannot pause either"); }
  void withdraw() override { ADD_FAILURE(); }
  [[nodiscard]] bool is_away() const override { return false; }
  void reset() override { ADD_FAILURE(); }
  [[nodiscard]] ObservedWork finish() override {
    ADD_FAILURE();
    return {};
  }

 private:
  int good_;
};

TEST(DeviceObserverTest, TheHostsSideGoesOnWhenTheDeviceCannotBeWatchedAnyMore) {
  for (const int good : {0, 2}) {
    std::string log;
    std::vector<std::string> said;
    const auto both =
        watch_both(std::make_unique<HostSide>(log), std::make_unique<FailingDevice>(good),
                   [&](const Error& error) { said.emplace_back(error.what()); });
    for (int i = 0; i < 4; ++i) both->resume(Keep::Everything);
    both->pause();
    both->reset();
    const Recording recording = both->finish();
    EXPECT_EQ(log, "hhhhHr");
    EXPECT_TRUE(both->is_away()) << "nobody watches the device";
    EXPECT_EQ(said, std::vector<std::string>{"another subscriber"});
    EXPECT_EQ(recording.steps.size(), 2);
    EXPECT_TRUE(recording.device_unseen);
  }
}

// Resumes, and fails when it is to stop.
class StickyDevice final : public DeviceObserver {
 public:
  void resume() override {}
  void pause() override { throw Error(Fault::Device, "cannot pause"); }
  void withdraw() override { ADD_FAILURE(); }
  [[nodiscard]] bool is_away() const override { return false; }
  void reset() override { ADD_FAILURE(); }
  [[nodiscard]] ObservedWork finish() override { throw Error(Fault::Device, "nothing to tell"); }
};

TEST(DeviceObserverTest, ADeviceThatCannotStopCostsItsHalfToo) {
  for (const bool pauses : {true, false}) {
    std::string log;
    std::vector<std::string> said;
    const auto both = watch_both(std::make_unique<HostSide>(log), std::make_unique<StickyDevice>(),
                                 [&](const Error& error) { said.emplace_back(error.what()); });
    both->resume(Keep::Everything);
    if (pauses) both->pause();
    EXPECT_TRUE(both->finish().device_unseen);
    EXPECT_EQ(said, std::vector<std::string>{pauses ? "cannot pause" : "nothing to tell"});
  }
}

TEST(DeviceObserverTest, WorkOutsideTheRecordedStepsIsLeftOutAndTheRestSorted) {
  const Recording recording = recorded({.records = {{.name = "late", .start = 390, .end = 500},
                                                    {.name = "between", .start = 250, .end = 260},
                                                    {.name = "before", .start = 50, .end = 120},
                                                    {.name = "first", .start = 100, .end = 110},
                                                    {.name = "after", .start = 401, .end = 410}}});
  ASSERT_EQ(recording.device.size(), 2);
  EXPECT_EQ(recording.device[0].name, "first");
  EXPECT_EQ(recording.device[1].name, "late");
}

TEST(DeviceObserverTest, WorkBelongsToTheStepThatAskedForIt) {
  const Recording recording = recorded(
      {.records = {{.name = "a", .start = 450, .end = 460, .launch = 390, .launch_end = 391},
                   {.name = "b", .start = 310, .end = 320, .launch = 250, .launch_end = 251}}});
  ASSERT_EQ(recording.device.size(), 1);
  EXPECT_EQ(recording.device[0].name, "a");
}

TEST(DeviceObserverTest, WaitsOutsideTheRecordedStepsAreTheProfilersOwn) {
  const Recording recording = recorded(
      {.syncs = {
           {.start = 350, .end = 360}, {.start = 205, .end = 290}, {.start = 150, .end = 190}}});
  ASSERT_EQ(recording.syncs.size(), 2);
  EXPECT_EQ(recording.syncs[0].start, 150);
  EXPECT_EQ(recording.syncs[1].start, 350);
  EXPECT_TRUE(recording.device.empty());
}

TEST(DeviceObserverTest, AWatchedDeviceIsNotUnseen) { EXPECT_FALSE(recorded({}).device_unseen); }

TEST(DeviceObserverTest, WhatWasLostIsSaid) {
  const Recording recording = recorded({.beyond_limit = 3, .dropped = 2});
  EXPECT_EQ(recording.gaps.device_beyond_limit, 3);
  EXPECT_EQ(recording.gaps.device_dropped, 2);
  EXPECT_TRUE(recording.gaps.any());
}

}  // namespace
}  // namespace ridgeline
