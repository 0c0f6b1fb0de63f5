#include "profile/device_observer.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

class HostSide final : public OpObserver {
 public:
  explicit HostSide(std::string& log) : HostSide(log, two_steps()) {}
  HostSide(std::string& log, Recording recording) : log_(log), recording_(std::move(recording)) {}
  static Recording two_steps() {
    return {
        .steps = {{.number = 0, .start = 100, .end = 200}, {.number = 1, .start = 300, .end = 400}},
        .device_unseen = true};
  }
  void resume(Keep) override { log_ += 'h'; }
  void pause() override { log_ += 'H'; }
  void withdraw() override { log_ += 'W'; }
  void begin_step(std::int64_t) override { log_ += '('; }
  void end_step() override { log_ += ')'; }
  void reset() override { log_ += 'r'; }
  [[nodiscard]] FrameHooks hooks() const override { return {.now = made_up_clock}; }
  [[nodiscard]] Recording finish() override { return recording_; }
  static Nanoseconds made_up_clock() noexcept { return clock += 100; }
  static inline Nanoseconds clock = 0;

 private:
  std::string& log_;
  Recording recording_;
};

class DeviceSide final : public DeviceObserver {
 public:
  DeviceSide(std::string& log, ObservedWork work) : log_(log), work_(std::move(work)) {}
  void resume(DeviceDetail detail) override { log_ += detail == DeviceDetail::Work ? 'd' : 'c'; }
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
  void resume(DeviceDetail) override {
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
  void resume(DeviceDetail) override {}
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

// A step of two ops, the second of which launches twice and waits.
constexpr NameId kStepName = 1;
constexpr NameId kFirstOp = 2;
constexpr NameId kSecondOp = 3;

Recording ops_at(const std::vector<Nanoseconds>& starts) {
  Recording recording{.names = {"", "ProfilerStep#0", "aten::add", "aten::mm"}, .threads = {{}}};
  for (const Nanoseconds start : starts) {
    const auto id = static_cast<std::uint32_t>(recording.ops.size() + 1);
    recording.steps.push_back({.start = start, .end = start + 50});
    recording.ops.push_back(
        {.start = start, .end = start + 50, .name = kStepName, .id = id, .kind = FrameKind::Step});
    recording.ops.push_back(
        {.start = start + 1, .end = start + 10, .name = kFirstOp, .id = id + 1, .parent = id});
    recording.ops.push_back(
        {.start = start + 11, .end = start + 40, .name = kSecondOp, .id = id + 2, .parent = id});
  }
  return recording;
}

// The learner of calls and the observer of sides in one: finish() tells first the step for calls
// alone, then the recording.
class LearningHost final : public OpObserver {
 public:
  LearningHost(std::string& log, std::vector<Recording> recordings)
      : log_(log), recordings_(std::move(recordings)) {}
  void resume(Keep) override { log_ += 'h'; }
  void pause() override { log_ += 'H'; }
  void begin_step(std::int64_t) override { log_ += '('; }
  void end_step() override { log_ += ')'; }
  void reset() override { log_ += 'r'; }
  [[nodiscard]] FrameHooks hooks() const override { return {.now = HostSide::made_up_clock}; }
  [[nodiscard]] Recording finish() override { return recordings_.at(next_++); }

 private:
  std::string& log_;
  std::vector<Recording> recordings_;
  std::size_t next_ = 0;
};

class LearningDevice final : public DeviceObserver {
 public:
  LearningDevice(std::string& log, std::vector<ObservedWork> works)
      : log_(log), works_(std::move(works)) {}
  void resume(DeviceDetail detail) override {
    away_ = false;
    log_ += detail == DeviceDetail::Work ? 'd' : 'c';
  }
  void pause() override { log_ += 'D'; }
  void withdraw() override {
    away_ = true;
    log_ += 'w';
  }
  [[nodiscard]] bool is_away() const override { return away_; }
  void reset() override { log_ += 'R'; }
  [[nodiscard]] ObservedWork finish() override { return works_.at(next_++); }

 private:
  std::string& log_;
  std::vector<ObservedWork> works_;
  std::size_t next_ = 0;
  bool away_ = false;
};

constexpr std::uint64_t kKernelA = 0x1000;
constexpr std::uint64_t kKernelB = 0x2000;

// Calls of the step that is watched for them, at 1000.
ObservedWork learnt_calls() {
  return {.syncs = {{.kind = SyncKind::Stream, .start = 1030, .end = 1035, .external_id = 3}},
          .launches = {{.start = 1012, .what = kKernelA, .correlation = 1, .frame = 3},
                       {.start = 1020, .what = kKernelB, .correlation = 2, .frame = 3}}};
}

DeviceRecord kernel_of(std::uint32_t correlation, Nanoseconds launch) {
  return {.name = "k",
          .start = launch + 5,
          .end = launch + 8,
          .correlation = correlation,
          .launch = launch,
          .launch_end = launch + 1};
}

// Two steps of the device, the first at 100 to 200 of the made-up clock, the second at 300 to 400.
ObservedWork work_of(std::uint64_t last_kernel) {
  return {
      .records = {kernel_of(11, 110), kernel_of(12, 120), kernel_of(21, 310), kernel_of(22, 320)},
      .syncs = {{.kind = SyncKind::Stream, .start = 130, .end = 135},
                {.kind = SyncKind::Stream, .start = 330, .end = 335}},
      .launches = {{.start = 110, .what = kKernelA, .correlation = 11},
                   {.start = 120, .what = kKernelB, .correlation = 12},
                   {.start = 310, .what = kKernelA, .correlation = 21},
                   {.start = 320, .what = last_kernel, .correlation = 22}}};
}

struct Apart {
  std::string log;
  Recording recording;
};

// `steps` of each side, `device_steps` of the device's reached.
Apart recorded_apart(const std::vector<Nanoseconds>& steps, int device_steps,
                     std::uint64_t last_kernel = kKernelB) {
  Apart apart;
  HostSide::clock = 0;
  const auto both = watch_both(
      std::make_unique<LearningHost>(apart.log, std::vector{ops_at({1000}), ops_at(steps)}),
      std::make_unique<LearningDevice>(apart.log,
                                       std::vector{learnt_calls(), work_of(last_kernel)}),
      unexpected);
  both->watch(Side::Calls);
  { const WatchedStep step(*both, 0, Keep::Everything); }
  both->watch(Side::Host);
  for (std::size_t i = 0; i < steps.size(); ++i) const WatchedStep step(*both, 1, Keep::Everything);
  both->watch(Side::Device);
  for (int i = 0; i < device_steps; ++i) const WatchedStep step(*both, 3, Keep::Everything);
  apart.recording = both->finish();
  return apart;
}

TEST(DeviceObserverTest, SidesThatAreApartAreWatchedOneWithoutTheOther) {
  // Calls with the host; then the host, with the device gone; then the device, the host paused.
  EXPECT_EQ(recorded_apart({5000, 6000}, 2).log, "ch()rRwh()h()HdHd");
}

TEST(DeviceObserverTest, WorkThatWasRecordedApartBelongsToTheOpsThatMakeItsCalls) {
  const Recording recording = recorded_apart({5000, 6000}, 2).recording;
  ASSERT_EQ(recording.steps.size(), 2);
  ASSERT_EQ(recording.device_steps.size(), 2);
  EXPECT_EQ(recording.device_steps[0].start, 100);
  EXPECT_EQ(recording.device_steps[1].end, 400);
  EXPECT_EQ(recording.steps_of_device().front().start, 100);
  ASSERT_EQ(recording.device.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(recording.device[i].external_id, i < 2 ? 3 : 6);
  ASSERT_EQ(recording.syncs.size(), 2);
  EXPECT_EQ(recording.syncs[0].external_id, 3);
  EXPECT_EQ(recording.syncs[1].external_id, 6);
  EXPECT_FALSE(recording.device_unseen);
  EXPECT_FALSE(recording.gaps.any());
}

TEST(DeviceObserverTest, OtherLaunchesThanThoseOfTheOpsBelongToNoneAndAreCounted) {
  const Recording recording = recorded_apart({5000, 6000}, 2, kKernelA).recording;
  ASSERT_EQ(recording.device.size(), 4);
  EXPECT_EQ(recording.device[2].external_id, 6);
  EXPECT_EQ(recording.device[3].external_id, 0) << "another kernel than the op's";
  EXPECT_EQ(recording.gaps.launches_unlike, 1);
}

TEST(DeviceObserverTest, OpsWhoseDeviceStepNeverCameAreLeftOut) {
  const Recording recording = recorded_apart({5000, 6000}, 1).recording;
  EXPECT_EQ(recording.steps.size(), 1);
  EXPECT_EQ(recording.device_steps.size(), 1);
  EXPECT_EQ(recording.ops.size(), 3);
  EXPECT_EQ(recording.device.size(), 2);
}

TEST(DeviceObserverTest, WithoutAnyStepOfTheDeviceTheHostsSideStandsAlone) {
  const Recording recording = recorded_apart({5000, 6000}, 0).recording;
  EXPECT_EQ(recording.steps.size(), 2);
  EXPECT_TRUE(recording.device_steps.empty());
  EXPECT_TRUE(recording.device.empty());
  EXPECT_TRUE(recording.device_unseen);
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
