#include "profile/step_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "profile/memory_timeline.h"
#include "profile/whole_steps.h"
#include "stats/abba.h"

namespace ridgeline {

StepRecorder::StepRecorder(OpObserver& observer, const StepSchedule& schedule, int cost_pairs,
                           Now now)
    : observer_(observer),
      schedule_(schedule),
      order_(abba_order(static_cast<std::size_t>(cost_pairs), CostRounds{}.seed)),
      now_(std::move(now)),
      scheduled_(step_count(schedule)) {}

StepRecorder::Look StepRecorder::look() const {
  if (number_ < scheduled_) {
    constexpr Look kLooks[] = {Look::Away, Look::AtNothing, Look::AtEverything};
    return kLooks[static_cast<std::size_t>(action_at(schedule_, number_))];
  }
  const std::int64_t place = number_ - scheduled_;
  const bool watched = order_.at(static_cast<std::size_t>(place / 2)) == (place % 2 == 0);
  return watched ? Look::AtEverything : Look::Away;
}

void StepRecorder::begin() {
  end();
  if (done()) return;
  const Look how = look();
  if (how != Look::Away) {
    observer_.resume(how == Look::AtEverything ? Keep::Everything : Keep::Nothing);
    observer_.begin_step(number_);
  }
  start_ = now_();
}

void StepRecorder::close() {
  if (look() != Look::Away) {
    observer_.end_step();
    observer_.pause();
    beside_paused_ = beside_paused_ || !observer_.is_away();
  }
  start_.reset();
}

void StepRecorder::end() {
  if (!start_) return;
  const Seconds took = std::chrono::nanoseconds(now_() - *start_);
  if (number_ >= scheduled_) (look() == Look::Away ? without_ : with_).push_back(took);
  close();
  // Before the pairs, whose records are of no interest.
  if (++number_ == scheduled_) recording_ = observer_.finish();
}

ProfileResult StepRecorder::finish() {
  const bool cut_off = start_ && number_ < scheduled_ && look() == Look::AtEverything;
  if (start_) close();
  if (!recording_) recording_ = observer_.finish();
  if (cut_off && !recording_->steps.empty()) {
    const Nanoseconds last = recording_->steps.back().start;
    recording_ = whole_steps(std::move(*recording_), last);
  }
  ProfileResult result;
  result.recording = std::move(*recording_);
  result.memory = memory_timeline(result.recording, {.broke_off = cut_off});
  const std::size_t whole = std::min(with_.size(), without_.size());
  with_.resize(whole);
  without_.resize(whole);
  if (whole > 0) {
    result.cost = cost_of(std::move(without_), std::move(with_));
    result.cost->beside_paused = beside_paused_;
  }
  return result;
}

}  // namespace ridgeline
