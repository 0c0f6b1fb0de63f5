#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trace/device_work.h"
#include "trace/kernel_table.h"
#include "trace/op_kind.h"

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
  // The part of it that was called in a step, and of the device's work what was asked for in one;
  // all of it where there are no steps.
  struct InSteps {
    std::uint64_t calls{};
    std::int64_t host_ns{};
    std::int64_t self_host_ns{};
    std::int64_t self_device_ns{};
    // Of calls and self time what ran on threads beside the step; nothing where a device's time is
    // what counts.
    std::uint64_t beside_calls{};
    std::int64_t beside_host_ns{};
    std::int64_t op_device_ns{};  // of an op: what no op inside it asked for, its ranges included
    // Of an op's device time and of its self time within an optimizer's step.
    std::int64_t optimizer_device_ns{};
    std::int64_t optimizer_host_ns{};
    // The device time outside of optimizers by what its kernels are for, of an op whose name does
    // not tell.
    std::map<OpKind, std::int64_t> by_kind{};
  };
  InSteps in_steps{};
};

// Ops, and on the host the calls of backends that communicate, in the sense of findings: what work
// is told under. Not the marks of steps.
[[nodiscard]] bool is_op_row(EventKind kind, std::string_view name);

struct TraceOps {
  std::vector<TraceOpRow> rows{};  // longest self host time first
  // Device work of the steps that no op asked for, by kernel: launched outside of all ops, or with
  // no launch in the trace. With the ops' op_device_ns it adds up to the steps' device time.
  std::vector<KernelRow> without_op{};
};

// Device work is joined to the innermost op around its launch call; without one in the trace, to
// the op of its external id.
[[nodiscard]] TraceOps op_table(const EventTable& events, const DeviceWork& work,
                                const std::vector<TraceStep>& steps = {});

}  // namespace ridgeline
