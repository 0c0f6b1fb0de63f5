#include "trace/step_work.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <unordered_set>

#include "trace/intervals.h"
#include "trace/profile_facts.h"

namespace ridgeline {
namespace {

bool is_op(EventKind kind) { return kind == EventKind::CpuOp || kind == EventKind::Foreign; }

// What a backend that communicates on the host marks its calls with: they run on threads of its
// own, and no kernel tells of them.
bool is_host_communication(const EventTable& events, std::size_t i) {
  const EventKind kind = events.kind(i);
  return (kind == EventKind::UserAnnotation || is_op(kind)) &&
         communicates_on_host(events.name_text(i));
}

bool is_data_wait(const EventTable& events, std::size_t i) {
  const EventKind kind = events.kind(i);
  return (kind == EventKind::UserAnnotation || is_op(kind)) && waits_for_data(events.name_text(i));
}

TimeSpan span_of(const EventTable& events, std::size_t i) {
  return {.start_ns = events.start_ns(i), .end_ns = events.end_ns(i)};
}

struct Spans {
  std::vector<TimeSpan> compute{};
  std::vector<TimeSpan> communication{};
  std::vector<TimeSpan> copies{};
  std::vector<TimeSpan> data_waits{};  // of the host
  std::uint64_t communications = 0;
};

// What the host does meanwhile.
struct HostTimes {
  Intervals communication{};
  Intervals data_waits{};
};

DeviceStepWork work_of(Spans spans, const HostTimes& host) {
  std::vector<TimeSpan> all(spans.compute);
  all.insert(all.end(), spans.communication.begin(), spans.communication.end());
  all.insert(all.end(), spans.copies.begin(), spans.copies.end());
  std::vector<TimeSpan> told(std::move(spans.communication));
  told.insert(told.end(), host.communication.begin(), host.communication.end());
  const Intervals communication = merged(std::move(told));
  const std::int64_t time = total_ns(communication);
  const Intervals busy = merged(std::move(all));
  return {.busy_ns = total_ns(busy),
          .communication_ns = time,
          .communication_alone_ns = time - overlap_ns(communication, merged(spans.compute)),
          .communications = spans.communications,
          .busy_in_data_wait_ns = overlap_ns(busy, host.data_waits)};
}

enum class HostOps { Left, Taken };

// Communication, waits for data, and ops where they are all there is: a trace of a GPU has
// millions.
Spans host_spans(const EventTable& events, const std::vector<TraceStep>& steps, HostOps ops) {
  Spans spans;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool told = is_host_communication(events, i);
    const bool waits = is_data_wait(events, i);
    const bool op = ops == HostOps::Taken && !told && is_op(events.kind(i));
    const bool inside = is_in(steps, events.start_ns(i));
    if (!(told || waits || (op && inside))) continue;
    if (waits) spans.data_waits.push_back(span_of(events, i));
    if (told) {
      spans.communication.push_back(span_of(events, i));
      spans.communications += inside ? 1U : 0U;
    } else if (op && !is_step_mark(events.name_text(i))) {
      spans.compute.push_back(span_of(events, i));
    }
  }
  return spans;
}

// What of it lies in the steps: a call may begin in one and end long after it.
Intervals in_steps(std::vector<TimeSpan> spans, const std::vector<TraceStep>& steps) {
  if (steps.empty()) return merged(std::move(spans));
  std::vector<TimeSpan> parts;
  for (const TraceStep& step : steps)
    parts.push_back({.start_ns = step.start_ns, .end_ns = step.end_ns});
  return common(merged(std::move(spans)), merged(std::move(parts)));
}

// By device; empty ones for those that did nothing in the steps.
std::map<std::int64_t, Spans> device_spans(const EventTable& events, const DeviceWork& work) {
  std::map<std::int64_t, Spans> devices;
  for (const std::int64_t device : work.devices()) devices[device];
  for (const DeviceWork::Item& item : work.items()) {
    Spans& spans = devices[events.track(item.event).process];
    auto& part = item.work == WorkClass::Compute         ? spans.compute
                 : item.work == WorkClass::Communication ? spans.communication
                                                         : spans.copies;
    part.push_back(span_of(events, item.event));
    spans.communications += item.work == WorkClass::Communication ? 1U : 0U;
  }
  return devices;
}

StepKernels kernels_of(const EventTable& events, const DeviceWork& work) {
  std::unordered_set<std::uint32_t> names;
  std::vector<std::int64_t> times;
  StepKernels out;
  for (const DeviceWork::Item& item : work.items()) {
    if (item.work == WorkClass::Copy) continue;
    names.insert(events.name(item.event));
    times.push_back(events.duration_ns(item.event));
    out.short_ones += std::chrono::nanoseconds(times.back()) < kShortKernel ? 1U : 0U;
  }
  out.count = times.size();
  out.distinct = names.size();
  if (times.empty()) return out;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  out.median_ns = *middle;
  return out;
}

// A step ends where the next begins, if not before: what is asked for then is that one's, and no
// moment counts twice.
std::int64_t time_of(const std::vector<TraceStep>& steps) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t end =
        i + 1 < steps.size() ? std::min(steps[i].end_ns, steps[i + 1].start_ns) : steps[i].end_ns;
    sum = add_times(sum, end - steps[i].start_ns);
  }
  return sum;
}

}  // namespace

bool waits_for_data(std::string_view name) { return name.starts_with("enumerate(DataLoader)"); }

StepWork step_work(const EventTable& events, const DeviceWork& work,
                   const std::vector<TraceStep>& steps, std::int64_t span_ns) {
  const DeviceWork inside = work.asked_for_in(events, steps);
  StepWork out{.time_ns = steps.empty() ? span_ns : time_of(steps),
               .kernels = kernels_of(events, inside),
               .by_name = kernel_table(events, inside),
               .copies = copy_table(events, inside)};
  Spans host = host_spans(events, steps, work.devices().empty() ? HostOps::Taken : HostOps::Left);
  host.communication = in_steps(std::move(host.communication), steps);
  const HostTimes on_host{.communication = host.communication,
                          .data_waits = in_steps(std::move(host.data_waits), steps)};
  out.data_wait_ns = total_ns(on_host.data_waits);
  std::map<std::int64_t, Spans> devices = device_spans(events, inside);
  for (auto& [device, spans] : devices) {
    spans.communications += host.communications;
    out.devices.push_back(work_of(std::move(spans), on_host));
    out.devices.back().device = device;
  }
  std::ranges::stable_sort(out.devices, std::greater{}, &DeviceStepWork::busy_ns);
  out.host = work_of(std::move(host), {});
  return out;
}

}  // namespace ridgeline
