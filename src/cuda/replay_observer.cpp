#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "core/error.h"
#include "cuda/cuda_runtime.h"
#include "cuda/replay_watch.h"
#include "profile/device_observer.h"

namespace ridgeline {

std::atomic<ReplayListener*> replay_listener{nullptr};

namespace {

void check(cudaError_t result) {
  if (result == cudaSuccess) return;
  throw Error(Fault::Device, fmt::format("timing replays: {}", cudaGetErrorString(result)));
}

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDefault)); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  void wait() { check(cudaEventSynchronize(event_)); }
  [[nodiscard]] Nanoseconds since(const Event& earlier) const {
    float milliseconds = 0.F;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return static_cast<Nanoseconds>(static_cast<double>(milliseconds) * 1e6);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// A moment by the device's clock and by the host's.
struct Anchor {
  std::unique_ptr<Event> event{};
  Nanoseconds time{};
};

struct Replay {
  std::unique_ptr<Event> start = std::make_unique<Event>();
  std::unique_ptr<Event> end = std::make_unique<Event>();
  std::size_t anchor{};  // the last one before it
  const void* graph{};
  Nanoseconds launch{};
  Nanoseconds launch_end{};
  std::uint32_t frame{};
};

// Times whole replays of captured graphs by events beside them. CUPTI could tell them too, but from
// a graph that it has seen it does not go away, and being there costs as much every replay.
class ReplayObserver final : public DeviceObserver, private ReplayListener {
 public:
  explicit ReplayObserver(const DeviceObserverOptions& options) : options_(options) {
    if (replay_listener.load() != nullptr)
      throw Error(Fault::Internal, "two who time replays at once");
  }
  ~ReplayObserver() override { pause(); }
  ReplayObserver(const ReplayObserver&) = delete;
  ReplayObserver& operator=(const ReplayObserver&) = delete;

  void resume(DeviceDetail) override {
    if (!is_away()) return;
    is_anchored_ = false;
    replay_listener.store(this, std::memory_order_release);
  }
  void pause() override { replay_listener.store(nullptr, std::memory_order_release); }
  void withdraw() override { pause(); }
  [[nodiscard]] bool is_away() const override {
    return replay_listener.load(std::memory_order_acquire) != this;
  }
  void reset() override {
    used_ = 0;
    beyond_limit_ = 0;
    anchors_.clear();
    is_anchored_ = false;
  }
  [[nodiscard]] ObservedWork finish() override {
    pause();
    if (failure_) throw Error(Fault::Device, *failure_);
    wait_for_device();
    ObservedWork work{.beyond_limit = beyond_limit_};
    for (std::size_t i = 0; i < used_; ++i) work.records.push_back(record_of(i));
    return work;
  }

 private:
  void before_replay(const void* graph, cudaStream_t stream) noexcept override {
    open_ = nullptr;
    if (failure_) return;
    if (used_ == options_.most_records) {
      ++beyond_limit_;
      return;
    }
    attempt([&] {
      if (!is_anchored_) set_anchor(stream);
      if (used_ == replays_.size()) replays_.emplace_back();
      Replay& replay = replays_[used_++];
      replay.anchor = anchors_.size() - 1;
      replay.graph = graph;
      replay.frame = options_.hooks.current();
      replay.start->record(stream);
      replay.launch = options_.hooks.now();
      open_ = &replay;
    });
  }
  void after_replay(cudaStream_t stream) noexcept override {
    if (open_ == nullptr) return;
    open_->launch_end = options_.hooks.now();
    attempt([&] { open_->end->record(stream); });
    open_ = nullptr;
  }

  template <class Work>
  void attempt(const Work& work) noexcept {
    try {
      work();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  }

  // The tightest of some looks at both clocks while the stream has nothing else to do, at the first
  // replay after a resume: only then is the right device current.
  void set_anchor(cudaStream_t stream) {
    constexpr int kLooks = 8;
    check(cudaStreamSynchronize(stream));
    Anchor best;
    Nanoseconds least = std::numeric_limits<Nanoseconds>::max();
    for (int i = 0; i < kLooks; ++i) {
      auto event = std::make_unique<Event>();
      const Nanoseconds before = options_.hooks.now();
      event->record(stream);
      event->wait();
      const Nanoseconds took = options_.hooks.now() - before;
      if (took >= least) continue;
      least = took;
      best = {.event = std::move(event), .time = before + took / 2};
    }
    anchors_.push_back(std::move(best));
    is_anchored_ = true;
  }

  [[nodiscard]] DeviceRecord record_of(std::size_t place) {
    const Replay& replay = replays_[place];
    const Anchor& anchor = anchors_[replay.anchor];
    // The clocks are set beside each other to some microseconds; nothing starts before its launch.
    const Nanoseconds start =
        std::max(anchor.time + replay.start->since(*anchor.event), replay.launch);
    const auto number = graphs_.try_emplace(replay.graph, graphs_.size() + 1).first->second;
    return {.kind = DeviceRecordKind::Replay,
            .name = fmt::format("CUDA graph {}", number),
            .start = start,
            .end = start + replay.end->since(*replay.start),
            .external_id = replay.frame,
            .correlation = static_cast<std::uint32_t>(place + 1),
            .device = static_cast<std::uint32_t>(current_device()),
            .launch = replay.launch,
            .launch_end = replay.launch_end};
  }

  DeviceObserverOptions options_;
  std::vector<Replay> replays_;  // of them `used_` since the last reset
  std::size_t used_ = 0;
  Replay* open_ = nullptr;
  std::vector<Anchor> anchors_;
  bool is_anchored_ = false;
  std::map<const void*, std::size_t> graphs_;
  std::uint64_t beyond_limit_ = 0;
  std::optional<std::string> failure_;
};

}  // namespace
}  // namespace ridgeline

extern "C" ridgeline::DeviceObserver* ridgeline_make_replay_observer(
    const ridgeline::DeviceObserverOptions& options) {
  RIDGELINE_CHECK(options.hooks.current != nullptr);
  return std::make_unique<ridgeline::ReplayObserver>(options).release();
}
