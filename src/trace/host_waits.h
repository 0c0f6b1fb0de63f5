#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/device_work.h"
#include "trace/intervals.h"

namespace ridgeline {

// Waits of the host for a device, of one kind. A wait after which the step still launches something
// keeps that back, unless other threads launch meanwhile; the last one of a step only ends it.
struct HostWaitRow {
  std::string kind{};  // "Event Sync", "Stream Sync", "Context Sync"
  std::uint64_t count{};
  std::int64_t total_ns{};
  std::int64_t longest_ns{};
  // Of `count`; absent in a trace without steps, which cannot tell.
  std::optional<std::uint64_t> before_work{};
  std::optional<std::int64_t> before_work_ns{};
};

struct HostWaits {
  std::vector<HostWaitRow> rows{};  // the longest first
  std::string op{};                 // with most of the time before work; empty: not known
  Intervals all{};                  // of all kinds: several threads that wait at once count once
  Intervals holding{};              // of them those before work
};

// From the trace's cuda_sync events, or where it has none, as PyTorch's have unless they are asked
// for, from the calls that wait.
[[nodiscard]] HostWaits host_waits(const EventTable& events, const DeviceWork& work,
                                   const std::vector<TraceStep>& steps);

}  // namespace ridgeline
