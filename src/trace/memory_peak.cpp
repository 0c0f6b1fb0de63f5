#include "trace/memory_peak.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace ridgeline {
namespace {

constexpr std::int64_t kCpu = 0;
constexpr std::int64_t kCuda = 1;

std::string device_name(std::int64_t type, std::int64_t number) {
  if (type == kCpu) return "cpu";
  return type == kCuda ? fmt::format("cuda:{}", number)
                       : fmt::format("device type {}:{}", type, number);
}

}  // namespace

std::vector<TraceMemoryPeak> memory_peaks(const EventTable& events) {
  std::vector<MemoryChange> changes = events.memory;
  std::ranges::stable_sort(changes, {}, &MemoryChange::time_ns);
  struct State {
    TraceMemoryPeak peak{};
    std::int64_t running = 0;
    std::optional<std::int64_t> reserved{};
  };
  std::map<std::pair<std::int64_t, std::int64_t>, State> devices;
  for (const MemoryChange& change : changes) {
    State& state = devices[{change.device_type, change.device_type == kCpu ? 0 : change.device}];
    TraceMemoryPeak& peak = state.peak;
    state.running = add_times(state.running, change.bytes);
    // One that tells the total is believed over a sum that knows only the changes.
    if (change.allocated && !peak.absolute) peak = {.changes = peak.changes, .absolute = true};
    const std::int64_t now = change.allocated.value_or(state.running);
    ++peak.changes;
    if (change.reserved.value_or(0) > 0)  // a host's allocator reserves nothing and says so
      state.reserved = change.reserved;
    if (peak.absolute != change.allocated.has_value() || now <= peak.peak_bytes) continue;
    peak.peak_bytes = now;
    peak.reserved_bytes = state.reserved;
    peak.peak_at_ns = change.time_ns - changes.front().time_ns;
  }
  std::vector<TraceMemoryPeak> out;
  for (auto& [key, state] : devices) {
    state.peak.device = device_name(key.first, key.second);
    out.push_back(std::move(state.peak));
  }
  return out;
}

}  // namespace ridgeline
