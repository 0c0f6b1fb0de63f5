#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "profile/profile_steps.h"

namespace ridgeline {

// Records the steps of a program that steps itself, as the schedule says. The pairs of steps that
// follow tell the cost: one watched, one not, in ABBA order. begin() and end() come from one
// thread.
class StepRecorder {
 public:
  using Now = std::function<Nanoseconds()>;
  StepRecorder(OpObserver& observer, const StepSchedule& schedule, int cost_pairs,
               Now now = steady_nanoseconds);

  void begin();
  void end();
  // Nothing is left to look at.
  [[nodiscard]] bool done() const { return number_ >= scheduled_ + 2 * pairs(); }
  // What was recorded; a step that is still open does not count.
  [[nodiscard]] ProfileResult finish();

 private:
  enum class Look { Away, AtNothing, AtEverything };
  [[nodiscard]] std::int64_t pairs() const { return static_cast<std::int64_t>(order_.size()); }
  [[nodiscard]] Look look() const;
  void close();

  OpObserver& observer_;
  StepSchedule schedule_;
  std::vector<bool> order_;  // of each pair: is the watched one first?
  Now now_;
  std::int64_t scheduled_;
  std::int64_t number_ = 0;
  std::optional<Nanoseconds> start_;  // of the open step
  std::optional<Recording> recording_;
  std::vector<Seconds> with_;
  std::vector<Seconds> without_;
  bool beside_paused_ = false;
};

}  // namespace ridgeline
