#include "trace/breakdown.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "trace/intervals.h"

namespace ridgeline {
namespace {

constexpr std::string_view kWhole = "whole trace";

struct Spans {
  std::array<std::vector<TimeSpan>, 3> of_class{};
  std::uint64_t kernels = 0;

  void add(const EventTable& events, const DeviceWork::Item& item) {
    of_class[static_cast<std::size_t>(item.work)].push_back(
        {.start_ns = events.start_ns(item.event), .end_ns = events.end_ns(item.event)});
    if (events.kind(item.event) == EventKind::Kernel) ++kernels;
  }
};

Breakdown breakdown_of(Spans spans) {
  std::vector<TimeSpan> all;
  for (const auto& part : spans.of_class) all.insert(all.end(), part.begin(), part.end());
  const auto of = [&](WorkClass work) {
    return merged(std::move(spans.of_class[static_cast<std::size_t>(work)]));
  };
  const Intervals compute = of(WorkClass::Compute);
  const Intervals communication = of(WorkClass::Communication);
  const Intervals copy = of(WorkClass::Copy);
  std::vector<TimeSpan> kernels(compute);
  kernels.insert(kernels.end(), communication.begin(), communication.end());
  const Intervals busy = merged(std::move(all));
  const std::int64_t span = busy.empty() ? 0 : busy.back().end_ns - busy.front().start_ns;
  return {.span_ns = span,
          .compute_ns = total_ns(compute),
          .communication_ns = total_ns(communication),
          .copy_ns = total_ns(copy),
          .idle_ns = span - total_ns(busy),
          .communication_hidden_ns = overlap_ns(communication, compute),
          .copy_hidden_ns = overlap_ns(copy, merged(std::move(kernels))),
          .kernels = spans.kernels};
}

}  // namespace

std::vector<Breakdown> breakdowns(const EventTable& events, const DeviceWork& work,
                                  const std::vector<TraceStep>& steps) {
  std::map<std::int64_t, Spans> whole;
  std::map<std::pair<std::int64_t, std::size_t>, Spans> by_step;
  for (const DeviceWork::Item& item : work.items()) {
    const std::int64_t device = events.track(item.event).process;
    whole[device].add(events, item);
    const std::int64_t asked = events.start_ns(item.launch.value_or(item.event));
    if (const auto step = step_at(steps, asked)) by_step[{device, *step}].add(events, item);
  }
  std::vector<Breakdown> out;
  for (auto& [device, spans] : whole) {
    out.push_back(breakdown_of(std::move(spans)));
    out.back().part = kWhole;
    out.back().device = device;
    // Those that asked for work alone: every step of every device would be more rows than events.
    for (auto in = by_step.lower_bound({device, 0});
         in != by_step.end() && in->first.first == device; ++in) {
      const TraceStep& step = steps[in->first.second];
      out.push_back(breakdown_of(std::move(in->second)));
      out.back().part = step.name;
      out.back().device = device;
      out.back().host_ns = step.end_ns - step.start_ns;
    }
  }
  return out;
}

}  // namespace ridgeline
