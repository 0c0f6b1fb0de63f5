#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/device_work.h"

namespace ridgeline {

// Why a stream had nothing to do before a piece of work.
enum class IdleCause {
  HostWait,    // it was asked for only after the work before had ended
  KernelWait,  // it was waiting in the queue, and the gap is as short as a launch takes
  Other,       // it was waiting in the queue for something else: an event, another stream
};
[[nodiscard]] std::string_view name_of(IdleCause cause);

// Gaps shorter than this are the device's own pace. HolisticTraceAnalysis uses the same number.
inline constexpr std::int64_t kLongestKernelWait_ns = 30'000;

struct StreamIdle {
  std::int64_t device{};
  std::int64_t stream{};
  std::int64_t host_wait_ns{};
  std::int64_t kernel_wait_ns{};
  std::int64_t other_ns{};
};
[[nodiscard]] std::vector<StreamIdle> idle_causes(const EventTable& events, const DeviceWork& work);

// A stretch in which a device did nothing on any stream.
struct Gap {
  std::int64_t device{};
  std::int64_t start_ns{};  // since the trace's first event
  std::int64_t length_ns{};
  std::string before{};  // the work that ended last
  std::string after{};   // the work that ended it
  IdleCause cause{};
};
// The `most` longest, longest first.
[[nodiscard]] std::vector<Gap> longest_gaps(const EventTable& events, const DeviceWork& work,
                                            std::size_t most);

}  // namespace ridgeline
