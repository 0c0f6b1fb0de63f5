#include "profile/captured_frames.h"

namespace ridgeline {
namespace {

// A frame beyond the trace's limit has no id: then calls of one name are one.
std::uint64_t key_of(const OpRecord& frame) {
  constexpr std::uint64_t kNamed = std::uint64_t{1} << 32;
  return frame.id != 0 ? frame.id : kNamed | frame.name;
}

}  // namespace

std::uint32_t CapturedFrames::keep(std::span<const OpRecord> open) {
  const std::lock_guard lock(mutex_);
  std::uint32_t parent = 0;
  for (const OpRecord& frame : open) {
    const auto next = static_cast<std::uint32_t>(frames_.size() + 1);
    const auto [place, is_new] = known_.try_emplace({parent, key_of(frame)}, next);
    if (is_new) {
      OpRecord& kept = frames_.emplace_back(frame);
      kept.start = 0;
      kept.end = 0;
      kept.id = next;
      kept.parent = parent;
    }
    parent = place->second;
  }
  return parent;
}

void CapturedFrames::forget_ids() {
  const std::lock_guard lock(mutex_);
  known_.clear();
}

std::vector<OpRecord> CapturedFrames::all() const {
  const std::lock_guard lock(mutex_);
  return frames_;
}

}  // namespace ridgeline
