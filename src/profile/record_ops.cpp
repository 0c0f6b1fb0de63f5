#include <ATen/Context.h>
#include <ATen/record_function.h>

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/translate.h"
#include "profile/active_recording.h"
#include "profile/allocation_watch.h"
#include "profile/block_recorder.h"
#include "profile/observer.h"
#include "profile/op_callback.h"
#include "profile/record_clock.h"
#include "profile/scope_frames.h"

namespace ridgeline {
namespace {

std::uint32_t current_frame() noexcept {
  const ThreadRecorder* const thread = thread_recorder();
  return thread == nullptr ? 0 : thread->current();
}

std::uint32_t captured_frame() noexcept {
  const ThreadRecorder* const thread = thread_recorder();
  return thread == nullptr ? 0 : thread->capture();
}

class TorchObserver final : public OpObserver {
 public:
  explicit TorchObserver(const ObserverOptions& options)
      : recorder_(limits_for(options.trace_bytes, options.memory),
                  options.shapes ? OpDetail::All : OpDetail::WholeOps) {
    calibrate_record_clock();
    Recorder* nobody = nullptr;
    if (!active_recording.recorder.compare_exchange_strong(nobody, &recorder_))
      throw Error(Fault::Internal, "two recordings at once in one process");
    active_recording.number.fetch_add(1, std::memory_order_release);
    callback_ = at::addGlobalCallback(op_callback(options));
    at::disableCallback(callback_);
    if (options.memory) memory_.emplace();
    (void)thread_recorder();  // this thread's room is taken now, not in the first step
  }

  ~TorchObserver() override {
    stop();
    at::removeCallback(callback_);
    active_recording.recorder.store(nullptr);
    active_recording.number.fetch_add(1, std::memory_order_release);
  }
  TorchObserver(const TorchObserver&) = delete;
  TorchObserver& operator=(const TorchObserver&) = delete;

  void resume(Keep keep) override {
    recorder_.keep(keep);
    const bool naming = memory_ && keep == Keep::Everything;
    block_listener.store(naming ? &blocks_ : nullptr, std::memory_order_release);
    if (running_) return;
    running_ = true;
    at::reenableCallback(callback_);
    if (memory_) memory_->turn(true);
    scope_listener.store(&scope_frames(), std::memory_order_release);
  }
  void pause() override { stop(); }

  void begin_step(std::int64_t number) override {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    step_ = {.number = number, .start = record_time(), .end = 0};
    const std::string name = fmt::format("ProfilerStep#{}", number);
    thread->enter({.kind = FrameKind::Step, .name = name, .key = &step_, .time = step_.start});
  }
  void end_step() override {
    ThreadRecorder* const thread = thread_recorder();
    if (thread == nullptr) return;
    step_.end = record_time();
    thread->leave(&step_, step_.end);
    if (recorder_.keeps() == Keep::Everything) recorder_.step_done(step_);
  }

  void reset() override {
    recorder_.reset();
    blocks_.reset();
  }
  [[nodiscard]] FrameHooks hooks() const override {
    return {.now = record_time, .current = current_frame, .captured = captured_frame};
  }
  [[nodiscard]] Recording finish() override {
    stop();
    Recording recording = recorder_.finish(record_time(), thread_recorder());
    blocks_.collect(recording);
    recording.device_unseen = at::globalContext().hasCUDA();
    return recording;
  }

 private:
  void stop() {
    if (!running_) return;
    running_ = false;
    block_listener.store(nullptr, std::memory_order_release);
    scope_listener.store(nullptr, std::memory_order_release);
    if (memory_) memory_->turn(false);
    at::disableCallback(callback_);
  }

  Recorder recorder_;
  BlockRecorder blocks_;
  std::optional<AllocationWatch> memory_;
  at::CallbackHandle callback_{};
  RecordedStep step_{};
  bool running_ = false;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options) {
  std::unique_ptr<ridgeline::OpObserver> observer;
  ridgeline::translating_errors(
      [&] { observer = std::make_unique<ridgeline::TorchObserver>(options); });
  return observer.release();
}
