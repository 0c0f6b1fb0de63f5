#pragma once

#include <cstdint>
#include <vector>

#include "profile/records.h"

namespace ridgeline {

struct AllocatedBytes {
  std::int64_t allocated{};
  std::int64_t net{};  // less what was freed, whoever had allocated it
  AllocatedBytes& operator+=(const AllocatedBytes& more) {
    allocated += more.allocated;
    net += more.net;
    return *this;
  }
};

// What was allocated and freed while a frame was open.
struct FrameMemory {
  const OpRecord* frame = nullptr;
  AllocatedBytes self{};   // while it was the innermost
  AllocatedBytes total{};  // of the outermost of nested frames of one name alone, as total times
};

// Of the device where it allocated anything, else of the host; the frames are the recording's.
// Empty where allocations were not recorded or some records are missing.
[[nodiscard]] std::vector<FrameMemory> frame_memory(const Recording& recording);

}  // namespace ridgeline
