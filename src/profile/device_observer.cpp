#include "profile/device_observer.h"

#include <algorithm>

namespace ridgeline {
namespace {

bool in_a_step(Nanoseconds time, const std::vector<RecordedStep>& steps) {
  const auto after = std::ranges::upper_bound(steps, time, {},
                                              [](const RecordedStep& step) { return step.start; });
  return after != steps.begin() && time <= std::prev(after)->end;
}

class BothObserver final : public OpObserver {
 public:
  BothObserver(std::unique_ptr<OpObserver> host, std::unique_ptr<DeviceObserver> device)
      : host_(std::move(host)), device_(std::move(device)) {}

  // The device's side takes longer to start and to stop: the host's side is inside it.
  void resume(Keep keep) override {
    device_->resume();
    host_->resume(keep);
  }
  void pause() override {
    host_->pause();
    device_->pause();
  }
  void begin_step(std::int64_t number) override { host_->begin_step(number); }
  void end_step() override { host_->end_step(); }
  void reset() override {
    host_->reset();
    device_->reset();
  }
  [[nodiscard]] FrameHooks hooks() const override { return host_->hooks(); }
  [[nodiscard]] Recording finish() override {
    Recording recording = host_->finish();
    ObservedWork work = device_->finish();
    recording.device_unseen = false;
    recording.gaps.device_beyond_limit = work.beyond_limit;
    recording.gaps.device_dropped = work.dropped;
    std::erase_if(work.records, [&](const DeviceRecord& record) {
      return !in_a_step(asked_at(record), recording.steps);
    });
    std::ranges::stable_sort(work.records, {}, &DeviceRecord::start);
    recording.device = std::move(work.records);
    // The observer's own wait, before it pauses, comes after the step.
    std::erase_if(work.syncs,
                  [&](const SyncRecord& sync) { return !in_a_step(sync.start, recording.steps); });
    std::ranges::stable_sort(work.syncs, {}, &SyncRecord::start);
    recording.syncs = std::move(work.syncs);
    return recording;
  }

 private:
  // The device's observer asks the host's about frames, so it goes first.
  std::unique_ptr<OpObserver> host_;
  std::unique_ptr<DeviceObserver> device_;
};

}  // namespace

std::unique_ptr<OpObserver> watch_both(std::unique_ptr<OpObserver> host,
                                       std::unique_ptr<DeviceObserver> device) {
  return std::make_unique<BothObserver>(std::move(host), std::move(device));
}

}  // namespace ridgeline
