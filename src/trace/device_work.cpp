#include "trace/device_work.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "trace/launch_calls.h"

namespace ridgeline {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep";

// A mark that begins within the one before it and bears its name is the same step on another
// thread. One that begins later is another step: some tools give all of them one name.
std::vector<TraceStep> without_repeats(std::vector<TraceStep> sorted) {
  std::vector<TraceStep> steps;
  for (TraceStep& step : sorted) {
    const bool repeats =
        !steps.empty() && step.name == steps.back().name &&
        (step.start_ns < steps.back().end_ns || step.start_ns == steps.back().start_ns);
    if (!repeats) steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

std::string_view name_of(WorkClass work) {
  switch (work) {
    case WorkClass::Communication:
      return "communication";
    case WorkClass::Copy:
      return "copy";
    case WorkClass::Compute:
      break;
  }
  return "compute";
}

WorkClass class_of(EventKind kind, std::string_view name) {
  if (kind == EventKind::Memcpy || kind == EventKind::Memset) return WorkClass::Copy;
  if (name.starts_with("void ")) name.remove_prefix(5);
  const bool communicates = name.starts_with("nccl") || name.starts_with("rccl");
  return communicates ? WorkClass::Communication : WorkClass::Compute;
}

bool launches_work(std::string_view call) {
  return call.find("LaunchKernel") != call.npos || call.find("GraphLaunch") != call.npos;
}

bool communicates_on_host(std::string_view name) {
  return name.starts_with("gloo:") || name.starts_with("mpi:");
}

DeviceWork::DeviceWork(const EventTable& events) {
  const LaunchCalls calls(events);
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (!is_device_work(events.kind(i))) continue;
    items_.push_back(
        {.event = i, .work = class_of(events.kind(i), events.name_text(i)), .launch = calls.of(i)});
  }
  std::ranges::stable_sort(items_, {},
                           [&](const Item& item) { return events.start_ns(item.event); });
  std::set<std::int64_t> devices;
  for (const Item& item : items_) devices.insert(events.track(item.event).process);
  devices_.assign(devices.begin(), devices.end());
}

DeviceWork DeviceWork::asked_for_in(const EventTable& events,
                                    const std::vector<TraceStep>& steps) const {
  DeviceWork inside;
  inside.devices_ = devices_;
  std::ranges::copy_if(items_, std::back_inserter(inside.items_), [&](const Item& item) {
    return is_in(steps, events.start_ns(item.launch.value_or(item.event)));
  });
  return inside;
}

DeviceWork DeviceWork::part(const std::vector<std::size_t>& places) const {
  DeviceWork some;
  some.devices_ = devices_;
  for (const std::size_t place : places) some.items_.push_back(items_[place]);
  return some;
}

bool is_step_mark(std::string_view name) { return name.starts_with(kStepPrefix); }

std::vector<TraceStep> trace_steps(const EventTable& events) {
  std::vector<TraceStep> steps;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind(i);
    const bool on_host =
        kind == EventKind::UserAnnotation || kind == EventKind::CpuOp || kind == EventKind::Foreign;
    if (!on_host || !is_step_mark(events.name_text(i))) continue;
    steps.push_back(
        {.name = events.name_text(i), .start_ns = events.start_ns(i), .end_ns = events.end_ns(i)});
  }
  std::ranges::stable_sort(steps, {}, &TraceStep::start_ns);
  return without_repeats(std::move(steps));
}

std::optional<std::size_t> step_at(const std::vector<TraceStep>& steps, std::int64_t time) {
  const auto after = std::ranges::upper_bound(steps, time, {}, &TraceStep::start_ns);
  if (after == steps.begin()) return std::nullopt;
  const auto step = std::prev(after);
  if (time >= step->end_ns) return std::nullopt;
  return static_cast<std::size_t>(step - steps.begin());
}

}  // namespace ridgeline
