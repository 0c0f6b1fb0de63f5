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
  BothObserver(std::unique_ptr<OpObserver> host, std::unique_ptr<DeviceObserver> device,
               DeviceLoss on_loss)
      : host_(std::move(host)), device_(std::move(device)), on_loss_(std::move(on_loss)) {}

  // The device's side takes longer to start and to stop: the host's side is inside it.
  void resume(Keep keep) override {
    if (!lost_) attend([&] { device_->resume(); });
    host_->resume(keep);
  }
  void pause() override {
    host_->pause();
    if (!lost_) attend([&] { device_->pause(); });
  }
  void withdraw() override {
    host_->withdraw();
    if (!lost_) attend([&] { device_->withdraw(); });
  }
  [[nodiscard]] bool is_away() const override {
    return host_->is_away() && (lost_ || device_->is_away());
  }
  void begin_step(std::int64_t number) override { host_->begin_step(number); }
  void end_step() override { host_->end_step(); }
  void reset() override {
    host_->reset();
    if (!lost_) attend([&] { device_->reset(); });
  }
  [[nodiscard]] FrameHooks hooks() const override { return host_->hooks(); }
  [[nodiscard]] Recording finish() override {
    Recording recording = host_->finish();
    ObservedWork work;
    if (!lost_) attend([&] { work = device_->finish(); });
    if (lost_) return recording;  // the device is unseen, as without its observer
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
  // A device that can no longer be watched costs the profile its half, not the whole.
  template <class Work>
  void attend(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      lost_ = true;
      on_loss_(error);
      stop_quietly();
    }
  }

  void stop_quietly() noexcept {
    try {
      device_->pause();
    } catch (const Error&) {  // it was told already that the device is lost
    }
  }

  // The device's observer asks the host's about frames, so it goes first.
  std::unique_ptr<OpObserver> host_;
  std::unique_ptr<DeviceObserver> device_;
  DeviceLoss on_loss_;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<OpObserver> watch_both(std::unique_ptr<OpObserver> host,
                                       std::unique_ptr<DeviceObserver> device, DeviceLoss on_loss) {
  return std::make_unique<BothObserver>(std::move(host), std::move(device), std::move(on_loss));
}

}  // namespace ridgeline
