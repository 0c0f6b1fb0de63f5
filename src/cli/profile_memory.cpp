#include "cli/profile_memory.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"

namespace ridgeline {

MemorySnapshot::MemorySnapshot(Backend& backend) : backend_(backend) {
  if (const auto obstacle = backend_.memory_history_obstacle())
    throw bad_input(fmt::format("--memory-snapshot: {}", *obstacle));
  backend_.record_memory_history(true);
}

void MemorySnapshot::take() {
  pickle_ = backend_.memory_snapshot();
  backend_.record_memory_history(false);
}

void MemorySnapshot::write(const std::filesystem::path& folder) const {
  if (!pickle_.empty()) write_file_atomically(folder / "memory_snapshot.pickle", pickle_);
}

void set_allocator_figures(MemoryTimeline& timeline, const MemoryUse& use) {
  if (!timeline.main.on_device) return;
  timeline.main.allocator_peak = static_cast<std::int64_t>(use.peak.count);
  timeline.main.allocator_reserved = static_cast<std::int64_t>(use.reserved.count);
}

}  // namespace ridgeline
