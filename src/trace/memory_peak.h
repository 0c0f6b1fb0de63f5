#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/event_table.h"

namespace ridgeline {

// The most memory in use on one device while the trace ran.
struct TraceMemoryPeak {
  std::string device{};  // "cpu", "cuda:0"
  std::uint64_t changes{};
  std::int64_t peak_bytes{};
  std::int64_t peak_at_ns{};  // since the first memory event
  bool absolute{};            // false: counted from what was in use when the trace began
  std::optional<std::int64_t> reserved_bytes{};  // by the allocator at the peak
};
[[nodiscard]] std::vector<TraceMemoryPeak> memory_peaks(const EventTable& events);

}  // namespace ridgeline
