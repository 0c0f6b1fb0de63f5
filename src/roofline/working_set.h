#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/cpu.h"
#include "core/units.h"
#include "roofline/ceilings.h"

namespace ridgeline {

struct WorkingSetRequest {
  MemoryLevel level = MemoryLevel::Dram;
  int threads = 1;
  Bytes memory_available{};  // DRAM's set takes no more than half of it
};

// How many bytes each thread walks over again and again so that they come from the level: half of
// an own cache, a part of the shared one that no own cache holds, or far more than all caches.
// Whole blocks of kReadBlock. Absent where the size of a cache is unknown, or none tells the level
// from the one before.
[[nodiscard]] std::optional<std::size_t> working_set(const CpuFacts& cpu,
                                                     const WorkingSetRequest& request);

// Memory for a thread's set, on large pages where the system gives them, so that what is measured
// is the cache and not the table of pages. Throws Error(Memory).
[[nodiscard]] std::shared_ptr<std::byte> allocate_set(std::size_t bytes);

}  // namespace ridgeline
