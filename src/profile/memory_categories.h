#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

inline constexpr Nanoseconds kStillAlive = std::numeric_limits<Nanoseconds>::max();
inline constexpr std::uint32_t kNoRecord = 0xffff'ffffU;

// A block from when it was allocated to when it was freed, as far as the recording saw either.
struct BlockLife {
  std::uint64_t address{};
  std::int64_t bytes{};
  Nanoseconds begin{};
  Nanoseconds end = kStillAlive;
  std::uint32_t begin_record = kNoRecord;  // place in Recording::memory; none: it was there before
  std::uint32_t end_record = kNoRecord;    // none: nobody saw it freed
  MemoryKind kind = MemoryKind::Other;
  bool on_device = false;
};

struct BlockLives {
  std::vector<BlockLife> lives{};
  std::uint64_t freed_unseen{};  // their address was given out again
};

// What every block was for, by proof:
// - a block that the step named while it lived is what it was named;
// - one that was allocated in a forward and outlived it is an activation;
// - one that was allocated and freed within one phase is a temporary;
// - of all others it is not known.
// Blocks that were named, or freed, without having been allocated in the recording existed before:
// they count from the beginning of the step that first mentions them. `broke_off`: the last step
// threw. What it still held then was freed by the unwinding, which proves nothing.
struct ClassifyOptions {
  bool broke_off = false;
};
[[nodiscard]] BlockLives classify_memory(const Recording& recording,
                                         const ClassifyOptions& options = {});

}  // namespace ridgeline
