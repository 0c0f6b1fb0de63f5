#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "profile/thread_recorder.h"

namespace ridgeline {

struct RecorderLimits {
  std::size_t ops = 1 << 20;     // records in the trace, all threads together
  std::size_t memory = 1 << 18;  // allocations and releases in it
};

// A trace.json of at most about so many bytes holds so many records.
[[nodiscard]] RecorderLimits limits_for(double trace_bytes, bool with_memory);

// A recording in the making. Threads join once each; after that they work on their own. reset() and
// finish() are for between steps, while no thread records.
class Recorder {
 public:
  explicit Recorder(const RecorderLimits& limits, OpDetail detail = OpDetail::All);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  [[nodiscard]] ThreadRecorder& join(const RecordedThread& thread);
  void step_done(const RecordedStep& step) { steps_.push_back(step); }
  // What becomes of the frames that begin from now on.
  void keep(Keep what);
  [[nodiscard]] Keep keeps() const { return keep_; }
  // Forgets what was recorded, as after warm-up steps; names stay known.
  void reset();
  // Closes at `time` what is still open and hands out everything. Where `own` is given, the
  // caller's thread, the others may be in the middle of an op, for nobody stopped them: they get a
  // second to end it; the frames of one that does not are lost.
  [[nodiscard]] Recording finish(Nanoseconds time, const ThreadRecorder* own = nullptr);

 private:
  void await_quiet(const ThreadRecorder* own) const;

  std::unique_ptr<RecorderRoom> room_;
  std::mutex joining_;
  std::vector<std::unique_ptr<ThreadRecorder>> threads_;
  std::vector<RecordedStep> steps_;
  Keep keep_ = Keep::Everything;
};

}  // namespace ridgeline
