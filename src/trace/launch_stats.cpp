#include "trace/launch_stats.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace ridgeline {
namespace {

struct Change {
  std::int64_t time_ns{};
  int by{};
};

QueueLength length_of(std::vector<Change> changes) {
  // Launches first among equals: a queue is never shorter than empty.
  std::ranges::stable_sort(changes, [](const Change& a, const Change& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.by > b.by;
  });
  QueueLength out{.changes = changes.size()};
  std::int64_t length = 0;
  double sum = 0;
  double area = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    length += changes[i].by;
    out.longest = std::max(out.longest, length);
    sum += static_cast<double>(length);
    if (i + 1 < changes.size()) {
      const auto lasted = static_cast<double>(changes[i + 1].time_ns - changes[i].time_ns);
      area += static_cast<double>(length) * lasted;
    }
  }
  const auto span = static_cast<double>(changes.back().time_ns - changes.front().time_ns);
  out.mean_at_changes = sum / static_cast<double>(changes.size());
  out.mean_over_time = span > 0 ? area / span : 0;
  return out;
}

}  // namespace

LaunchStats launch_stats(const EventTable& events, const DeviceWork& work) {
  struct Launched {
    std::uint64_t count = 0;
    std::int64_t first_start = 0;
    std::int64_t first_length = 0;
  };
  LaunchStats stats;
  std::unordered_map<std::uint32_t, Launched> calls;
  for (const DeviceWork::Item& item : work.items()) {  // in order of start
    if (!item.launch) {
      ++stats.unmatched;
      continue;
    }
    ++stats.launched;
    Launched& launched = calls[*item.launch];
    if (launched.count++ > 0) continue;
    launched.first_start = events.start_ns(item.event);
    launched.first_length = events.duration_ns(item.event);
  }
  std::vector<std::int64_t> delays;
  for (const auto& [call, launched] : calls) {
    const std::int64_t length = events.duration_ns(call);
    const std::int64_t delay =
        std::max<std::int64_t>(0, launched.first_start - events.end_ns(call));
    stats.short_kernels += launched.count == 1 && launched.first_length < length ? 1U : 0U;
    stats.long_calls += length > kLongLaunch_ns ? 1U : 0U;
    stats.delayed += delay > kLongLaunchDelay_ns ? 1U : 0U;
    stats.call_ns = add_times(stats.call_ns, length);
    delays.push_back(delay);
  }
  stats.calls = calls.size();
  if (!delays.empty()) {
    const auto middle = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2);
    std::ranges::nth_element(delays, middle);
    stats.median_delay_ns = *middle;
    stats.max_delay_ns = std::ranges::max(delays);
  }
  return stats;
}

std::vector<QueueLength> queue_lengths(const EventTable& events, const DeviceWork& work) {
  std::map<Track, std::vector<Change>> streams;
  for (const DeviceWork::Item& item : work.items()) {
    if (!item.launch) continue;
    std::vector<Change>& changes = streams[events.track(item.event)];
    changes.push_back({.time_ns = events.start_ns(*item.launch), .by = 1});
    changes.push_back({.time_ns = events.start_ns(item.event), .by = -1});
  }
  std::vector<QueueLength> out;
  for (auto& [track, changes] : streams) {
    out.push_back(length_of(std::move(changes)));
    out.back().device = track.process;
    out.back().stream = track.thread;
  }
  return out;
}

}  // namespace ridgeline
