#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_table.h"

namespace ridgeline {

enum class WorkClass { Compute, Communication, Copy };
[[nodiscard]] std::string_view name_of(WorkClass work);
// Copies and sets by kind; communication by the names of NCCL's and RCCL's kernels.
[[nodiscard]] WorkClass class_of(EventKind kind, std::string_view name);
// A call of CUDA's or HIP's that starts a kernel or a graph of them.
[[nodiscard]] bool launches_work(std::string_view call);
// How PyTorch marks the calls of backends that communicate on the host ("gloo:all_reduce").
[[nodiscard]] bool communicates_on_host(std::string_view name);

// A step as PyTorch's profiler marks it on the host.
struct TraceStep {
  std::string name{};  // "ProfilerStep#5"
  std::int64_t start_ns{};
  std::int64_t end_ns{};
};
[[nodiscard]] bool is_step_mark(std::string_view name);
// In order of time; the same mark on several threads, at one time, counts once.
[[nodiscard]] std::vector<TraceStep> trace_steps(const EventTable& events);

// The step that `time` falls into, or none.
[[nodiscard]] std::optional<std::size_t> step_at(const std::vector<TraceStep>& steps,
                                                 std::int64_t time);
// Whether it falls into any; where there are no steps, always.
[[nodiscard]] inline bool is_in(const std::vector<TraceStep>& steps, std::int64_t time) {
  return steps.empty() || step_at(steps, time).has_value();
}

// What the devices did, in order of start, each with the host call that asked for it.
class DeviceWork {
 public:
  explicit DeviceWork(const EventTable& events);

  struct Item {
    std::uint32_t event{};
    WorkClass work{};
    std::optional<std::uint32_t> launch{};  // absent when the trace holds no such call
  };
  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::int64_t>& devices() const { return devices_; }
  // What was asked for within one of `steps`, whenever it ran; without a launch in the trace its
  // own start counts. All of it where there are no steps.
  [[nodiscard]] DeviceWork asked_for_in(const EventTable& events,
                                        const std::vector<TraceStep>& steps) const;
  // The items at these places.
  [[nodiscard]] DeviceWork part(const std::vector<std::size_t>& places) const;

 private:
  DeviceWork() = default;

  std::vector<std::int64_t> devices_;
  std::vector<Item> items_;
};

}  // namespace ridgeline
