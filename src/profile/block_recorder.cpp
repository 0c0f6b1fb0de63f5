#include "profile/block_recorder.h"

#include <new>

#include "profile/record_clock.h"

namespace ridgeline {

void BlockRecorder::name_block(const MemoryBlock& block) noexcept {
  const std::lock_guard lock(mutex_);
  if (blocks_.size() >= limit_) {
    ++beyond_;
    return;
  }
  try {
    blocks_.push_back({.time = record_time(), .block = block});
  } catch (const std::bad_alloc&) {
    ++beyond_;
  }
}

void BlockRecorder::reset() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  beyond_ = 0;
}

void BlockRecorder::collect(Recording& into) const {
  const std::lock_guard lock(mutex_);
  into.blocks = blocks_;
  into.gaps.memory_beyond_limit += beyond_;
}

}  // namespace ridgeline
