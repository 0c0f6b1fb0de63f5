#include "profile/device_observer.h"

#include <algorithm>
#include <utility>

#include "profile/join_sides.h"
#include "profile/whole_steps.h"

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
    keep_ = keep;
    if (!watches_host()) host_->pause();
    if (!lost_) attend([&] { resume_device(); });
    if (watches_host()) host_->resume(keep);
  }
  void pause() override {
    host_->pause();
    if (!lost_) attend([&] { device_->pause(); });
  }
  void withdraw() override {
    host_->withdraw();
    if (!lost_) attend([&] { device_->withdraw(); });
  }
  void watch(Side side) override {
    if (side_ == Side::Calls && side != Side::Calls) learn_calls();
    side_ = side;
  }
  [[nodiscard]] bool has_sides() const override { return !lost_; }
  [[nodiscard]] bool is_away() const override {
    return host_->is_away() && (lost_ || device_->is_away());
  }
  void begin_step(std::int64_t number) override {
    if (watches_host()) return host_->begin_step(number);
    device_step_ = {.number = number, .start = host_->hooks().now()};
  }
  void end_step() override {
    if (watches_host()) return host_->end_step();
    device_step_.end = host_->hooks().now();
    if (keep_ == Keep::Everything && !lost_) device_steps_.push_back(device_step_);
  }
  void reset() override {
    host_->reset();
    device_steps_.clear();
    if (!lost_) attend([&] { device_->reset(); });
  }
  [[nodiscard]] FrameHooks hooks() const override { return host_->hooks(); }
  [[nodiscard]] Recording finish() override {
    Recording recording = host_->finish();
    ObservedWork work;
    if (!lost_) attend([&] { work = device_->finish(); });
    if (lost_) return recording;  // the device is unseen, as without its observer
    recording.device_unseen = side_ != Side::Both && device_steps_.empty();
    recording.gaps.device_beyond_limit = work.beyond_limit;
    recording.gaps.device_dropped = work.dropped;
    if (!device_steps_.empty()) recording = with_device_steps(std::move(recording), work);
    const std::vector<RecordedStep>& steps = recording.steps_of_device();
    std::erase_if(work.records,
                  [&](const DeviceRecord& record) { return !in_a_step(asked_at(record), steps); });
    std::ranges::stable_sort(work.records, {}, &DeviceRecord::start);
    recording.device = std::move(work.records);
    // The observer's own wait, before it pauses, comes after the step.
    std::erase_if(work.syncs,
                  [&](const SyncRecord& sync) { return !in_a_step(sync.start, steps); });
    std::ranges::stable_sort(work.syncs, {}, &SyncRecord::start);
    recording.syncs = std::move(work.syncs);
    return recording;
  }

 private:
  [[nodiscard]] bool watches_host() const { return lost_ || side_ != Side::Device; }
  // A device that is not watched is left, for beside ops even that costs something.
  void resume_device() {
    if (side_ != Side::Host) {
      device_->resume(side_ == Side::Calls ? DeviceDetail::Calls : DeviceDetail::Work);
    } else if (!device_->is_away()) {
      device_->withdraw();
    }
  }
  void learn_calls() {
    const Recording recording = host_->finish();
    ObservedWork work;
    if (!lost_) attend([&] { work = device_->finish(); });
    calls_ = calls_of_step(recording, work);
    reset();
  }

  // Every step has its two sides: of steps that were broken off before the device's turn came only
  // those stay whose device was watched too. Where that cannot be, the host's side stays alone.
  [[nodiscard]] Recording with_device_steps(Recording recording, ObservedWork& work) {
    if (recording.steps.size() > device_steps_.size()) {
      const Nanoseconds end = recording.steps[device_steps_.size()].start;
      recording = whole_steps(std::move(recording), end);
    }
    if (recording.steps.size() != device_steps_.size()) {
      recording.device_unseen = true;
      work = {};
      return recording;
    }
    recording.gaps.launches_unlike = join_sides(work, recording, device_steps_, calls_);
    recording.device_steps = device_steps_;
    return recording;
  }

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
  Keep keep_ = Keep::Everything;
  Side side_ = Side::Both;
  StepCalls calls_;
  RecordedStep device_step_{};  // of the device alone
  std::vector<RecordedStep> device_steps_;
};

}  // namespace

std::unique_ptr<OpObserver> watch_both(std::unique_ptr<OpObserver> host,
                                       std::unique_ptr<DeviceObserver> device, DeviceLoss on_loss) {
  return std::make_unique<BothObserver>(std::move(host), std::move(device), std::move(on_loss));
}

}  // namespace ridgeline
