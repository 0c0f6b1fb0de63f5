#include "trace/working_steps.h"

#include <algorithm>

namespace ridgeline {
namespace {

bool is_op(const EventTable& events, std::size_t i) {
  const EventKind kind = events.kind(i);
  return (kind == EventKind::CpuOp || kind == EventKind::Foreign) &&
         !is_step_mark(events.name_text(i));
}

std::vector<bool> have_work(const EventTable& events, const DeviceWork& work,
                            const std::vector<TraceStep>& steps) {
  std::vector<bool> worked(steps.size());
  const auto asked = [&](std::int64_t time) {
    if (const auto step = step_at(steps, time)) worked[*step] = true;
  };
  for (const DeviceWork::Item& item : work.items())
    asked(events.start_ns(item.launch.value_or(item.event)));
  if (!work.items().empty()) return worked;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (is_op(events, i)) asked(events.start_ns(i));
  }
  return worked;
}

}  // namespace

WorkingSteps working_steps(const EventTable& events, const DeviceWork& work) {
  WorkingSteps out{.steps = trace_steps(events)};
  const std::vector<bool> worked = have_work(events, work, out.steps);
  const auto first = std::ranges::find(worked, true);
  if (first == worked.end()) return out;
  const auto before = first - worked.begin();
  const auto after = std::find(worked.rbegin(), worked.rend(), true) - worked.rbegin();
  out.left_out = static_cast<std::uint64_t>(before + after);
  out.steps.erase(out.steps.end() - after, out.steps.end());
  out.steps.erase(out.steps.begin(), out.steps.begin() + before);
  return out;
}

}  // namespace ridgeline
