#include "profile/captured_frames.h"

#include "profile/name_table.h"

namespace ridgeline {
// A frame beyond the trace's limit, or of a step that is thrown away, has no id: then it is told by
// its name and when it began.
CapturedFrames::Key CapturedFrames::key_of(std::uint32_t parent, const OpRecord& frame) {
  if (frame.id != 0) return {parent, frame.id, 0, NameTable::kNone};
  return {parent, 0, frame.start, frame.name};
}

std::uint32_t CapturedFrames::keep(std::span<const OpRecord> open) {
  const std::lock_guard lock(mutex_);
  std::uint32_t parent = 0;
  for (const OpRecord& frame : open) {
    const auto next = static_cast<std::uint32_t>(frames_.size() + 1);
    const auto [place, is_new] = known_.try_emplace(key_of(parent, frame), next);
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
