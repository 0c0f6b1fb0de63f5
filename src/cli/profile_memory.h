#pragma once

#include <filesystem>
#include <string>

#include "engine/backend.h"
#include "profile/memory_timeline.h"

namespace ridgeline {

// LibTorch's CUDA memory snapshot: of all that was allocated since this was made.
class MemorySnapshot {
 public:
  // Throws Error(BadInput) where there is no such thing.
  explicit MemorySnapshot(Backend& backend);
  // Ends the history, so that what is measured afterwards does not pay for it.
  void take();
  // memory_snapshot.pickle; nothing when it was not taken.
  void write(const std::filesystem::path& folder) const;

 private:
  Backend& backend_;
  std::string pickle_;
};

// What the device's allocator counted itself since its peak was reset. A host's counts the whole
// process instead, which is no comparison: nothing is set then.
void set_allocator_figures(MemoryTimeline& timeline, const MemoryUse& use);

}  // namespace ridgeline
