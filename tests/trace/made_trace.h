#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace ridgeline {

// A trace built by hand, in nanoseconds.
class MadeTrace {
 public:
  struct Host {
    std::string_view name{};
    std::int64_t start{};
    std::int64_t length{};
    EventKind kind = EventKind::CpuOp;
    std::uint32_t correlation{};
    std::uint32_t external{};
    std::int64_t thread = 1;
    std::int64_t process = 1;
  };
  struct Device {
    std::string_view name{};
    std::int64_t start{};
    std::int64_t length{};
    EventKind kind = EventKind::Kernel;
    std::uint32_t correlation{};
    std::uint32_t external{};
    std::int64_t stream = 7;
    std::int64_t device = 0;
  };

  MadeTrace& host(const Host& e) {
    return add({.kind = e.kind,
                .name = trace.events.names.number_of(e.name),
                .track = trace.events.track_of(
                    {.device = false, .process = e.process, .thread = e.thread}),
                .start_ns = e.start,
                .duration_ns = e.length,
                .correlation = e.correlation,
                .external = e.external});
  }
  MadeTrace& device(const Device& e) {
    return add(
        {.kind = e.kind,
         .name = trace.events.names.number_of(e.name),
         .track = trace.events.track_of({.device = true, .process = e.device, .thread = e.stream}),
         .start_ns = e.start,
         .duration_ns = e.length,
         .correlation = e.correlation,
         .external = e.external});
  }
  // A launch call of 5 ns and the kernel it launches.
  MadeTrace& launched(std::uint32_t id, std::int64_t call, const Device& kernel) {
    host({.name = "cudaLaunchKernel",
          .start = call,
          .length = 5,
          .kind = EventKind::Runtime,
          .correlation = id});
    Device numbered = kernel;
    numbered.correlation = id;
    return device(numbered);
  }

  Trace trace;

 private:
  MadeTrace& add(const Event& event) {
    trace.events.add(event);
    return *this;
  }
};

}  // namespace ridgeline
