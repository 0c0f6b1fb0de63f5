#include "train/watched_batches.h"

#include <algorithm>
#include <cstddef>

namespace ridgeline {
namespace {

// Recorded steps come early in a training: what is beyond lies in none of them.
constexpr std::size_t kMostWaits = 1'000'000;

}  // namespace

HostBatch WatchedBatches::next() {
  const Nanoseconds start = now_();
  const HostBatch batch = source_.next();
  if (waits_.size() < kMostWaits) waits_.push_back({.start = start, .end = now_()});
  return batch;
}

std::vector<DataWait> WatchedBatches::waits_in(const std::vector<RecordedStep>& steps) const {
  std::vector<DataWait> inside;
  for (const RecordedStep& step : steps) {
    auto wait = std::ranges::lower_bound(waits_, step.start, {}, &DataWait::start);
    for (; wait != waits_.end() && wait->end <= step.end; ++wait) inside.push_back(*wait);
  }
  return inside;
}

}  // namespace ridgeline
