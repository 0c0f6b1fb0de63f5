#pragma once

#include <cstdint>

#include "profile/records.h"

namespace ridgeline {

struct ObserverOptions {
  bool shapes = false;  // of the ops' inputs; then ops inside whole ops are seen too
  bool values = false;  // numbers, truth values and lists of them too; needs shapes
  bool memory = false;  // allocations on the host
  // What a program marks itself (user scopes) and functions of TorchScript. Listening to them makes
  // every node of a backward dearer, marks or none.
  bool program_ranges = true;
  double trace_bytes = 200e6;
};

[[nodiscard]] Nanoseconds steady_nanoseconds() noexcept;

// How whoever watches a device asks what the host is doing. Called on the thread that launches, in
// the middle of it.
struct FrameHooks {
  using Clock = Nanoseconds (*)() noexcept;
  Clock now = steady_nanoseconds;  // of the host's records
  // Id of the innermost open frame; 0 for none.
  std::uint32_t (*current)() noexcept = nullptr;
  // The same as an id in Recording::captured, for work that a graph will repeat.
  std::uint32_t (*captured)() noexcept = nullptr;
};

// What is recorded of a step, where there is a device to watch besides the host.
enum class Side : std::uint8_t {
  Both,
  Calls,   // which ops give the device work and wait for it; the other two sides build on that
  Host,    // ops
  Device,  // its work
};

// Watches the ops that torch runs in this process, on all threads, from when it is made: what
// callers without torch see of it. One at a time. Nothing is recorded outside resume() and pause(),
// which are for between steps; with Keep::Nothing the work is done and its result thrown away, as
// for warm-up steps.
class OpObserver {
 public:
  virtual ~OpObserver() = default;
  virtual void resume(Keep keep) = 0;
  virtual void pause() = 0;
  // Of the steps from the next resume() on, for who has sides. The last step for calls alone says
  // to which ops work that is recorded apart belongs, those of the host's step at the same place in
  // the row; it is no part of the recording.
  virtual void watch(Side /*side*/) {}
  [[nodiscard]] virtual bool has_sides() const { return false; }
  // The same for steps that are to be as if nobody watched: some observers cost something while
  // they are only paused. Takes milliseconds, and so does the next resume().
  virtual void withdraw() { pause(); }
  // Since it was paused or withdrawn: whether steps cost what they would without it.
  [[nodiscard]] virtual bool is_away() const { return true; }
  // Of the calling thread, while resumed. A step that throws is ended like any other.
  virtual void begin_step(std::int64_t number) = 0;
  virtual void end_step() = 0;
  // Forgets what was recorded so far.
  virtual void reset() = 0;
  // Good while it lives.
  [[nodiscard]] virtual FrameHooks hooks() const { return {}; }
  // What was recorded since it was made or reset; pauses.
  [[nodiscard]] virtual Recording finish() = 0;
};

// Watches one step of the calling thread while it lives, so that its frame is closed also when the
// step throws. The observer goes on watching: whoever lets it step next without pauses it.
class WatchedStep {
 public:
  WatchedStep(OpObserver& observer, std::int64_t number, Keep keep) : observer_(observer) {
    observer_.resume(keep);
    observer_.begin_step(number);
  }
  ~WatchedStep() { observer_.end_step(); }
  WatchedStep(const WatchedStep&) = delete;
  WatchedStep& operator=(const WatchedStep&) = delete;

 private:
  OpObserver& observer_;
};

// The engine library's entry point. Owned by the caller.
using MakeOpObserver = OpObserver* (*)(const ObserverOptions& options);
inline constexpr const char* kMakeOpObserverSymbol = "ridgeline_make_op_observer";

}  // namespace ridgeline
