#include "trace/step_idle.h"

#include <algorithm>
#include <map>

namespace ridgeline {
namespace {

struct Device {
  StepIdle idle{};
  bool worked = false;
  std::int64_t busy_until = 0;
  std::vector<TimeSpan> unasked{};
};

bool launches_graph(const EventTable& events, const DeviceWork::Item& item) {
  return item.launch && events.name_text(*item.launch).find("GraphLaunch") != std::string::npos;
}

void add_gap(Device& device, const EventTable& events, const DeviceWork::Item& next) {
  const TimeSpan gap{.start_ns = device.busy_until, .end_ns = events.start_ns(next.event)};
  if (!next.launch || !device.worked || gap.end_ns <= gap.start_ns) return;
  if (events.start_ns(*next.launch) > gap.start_ns) {
    device.unasked.push_back(gap);
  } else {
    device.idle.queued_ns = add_times(device.idle.queued_ns, gap.end_ns - gap.start_ns);
  }
}

}  // namespace

std::vector<StepIdle> step_idle(const EventTable& events, const DeviceWork& work,
                                const std::vector<TraceStep>& steps, const Intervals& waits) {
  std::map<std::int64_t, Device> devices;
  // What no step asked for keeps a device busy too.
  for (const DeviceWork::Item& item : work.items()) {
    const std::int64_t number = events.track(item.event).process;
    Device& device = devices[number];
    device.idle.device = number;
    const std::int64_t length = events.duration_ns(item.event);
    if (is_in(steps, events.start_ns(item.launch.value_or(item.event)))) {
      add_gap(device, events, item);
      device.idle.launched += item.launch ? 1U : 0U;
      device.idle.work_ns = add_times(device.idle.work_ns, length);
      if (launches_graph(events, item))
        device.idle.graph_work_ns = add_times(device.idle.graph_work_ns, length);
    }
    const std::int64_t end = events.end_ns(item.event);
    device.busy_until = device.worked ? std::max(device.busy_until, end) : end;
    device.worked = true;
  }
  std::vector<StepIdle> out;
  for (auto& [number, device] : devices) {
    device.idle.in_wait_ns = overlap_ns(merged(std::move(device.unasked)), waits);
    out.push_back(device.idle);
  }
  return out;
}

}  // namespace ridgeline
