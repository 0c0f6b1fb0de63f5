#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// All calls of one host-side name: an op, an annotation, a runtime or driver call, or
// another tool's slice.
struct TraceOpRow {
  std::string name{};
  EventKind kind{};
  std::uint64_t calls{};
  std::int64_t host_ns{};         // a name nested in itself counts once
  std::int64_t self_host_ns{};    // without what is nested in it
  std::int64_t device_ns{};       // of all device work asked for within it
  std::int64_t self_device_ns{};  // of what it asked for itself
  // The part of it that was called in a step; all of it where there are no steps.
  struct InSteps {
    std::uint64_t calls{};
    std::int64_t host_ns{};
    std::int64_t self_host_ns{};
    std::int64_t self_device_ns{};
  };
  InSteps in_steps{};
};

// Longest self host time first. Device work is joined to the innermost op around its launch call;
// without one in the trace, to the op of its external id.
[[nodiscard]] std::vector<TraceOpRow> op_table(const EventTable& events, const DeviceWork& work,
                                               const std::vector<TraceStep>& steps = {});

}  // namespace ridgeline
