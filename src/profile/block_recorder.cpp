#include "profile/block_recorder.h"

#include <new>

#include "profile/record_clock.h"

namespace ridgeline {

void BlockRecorder::name_block(const MemoryBlock& block) noexcept {
  const std::lock_guard lock(mutex_);
  if (blocks_.size() >= limit_) {
    lose();
    return;
  }
  try {
    blocks_.push_back({.time = record_time(), .block = block});
  } catch (const std::bad_alloc&) {
    lose();
  }
}

void BlockRecorder::lose() noexcept {
  if (beyond_++ == 0) beyond_from_ = record_time();
}

void BlockRecorder::reset() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  beyond_ = 0;
}

void BlockRecorder::collect(Recording& into) const {
  const std::lock_guard lock(mutex_);
  into.blocks = blocks_;
  into.gaps.lose_memory(beyond_, beyond_from_);
}

}  // namespace ridgeline
