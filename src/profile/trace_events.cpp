#include "profile/trace_events.h"

#include <fmt/format.h>

namespace ridgeline {

std::string micros(Nanoseconds time) {
  const Nanoseconds size = time < 0 ? -time : time;
  return fmt::format("{}{}.{:03}", time < 0 ? "-" : "", size / 1000, size % 1000);
}

TraceEvents::TraceEvents(TextFile& file, const Recording& recording, const TraceFacts& facts)
    : file_(file), recording_(recording), facts_(facts) {
  for (const std::string& name : recording.names) names_.push_back(json_escaped(name));
  for (const OpRecord& op : recording.ops) by_id_.emplace(op.id, &op);
}

void TraceEvents::write(const std::string& text) {
  file_.write(first_ ? "\n" : ",\n");
  first_ = false;
  file_.write(text);
}

void TraceEvents::name_track(const char* what, const std::string& pid, const std::string& tid,
                             const std::string& arguments) {
  write(fmt::format(R"({{"name": "{}", "ph": "M", "ts": 0, "pid": {}, "tid": {}, "args": {{{}}}}})",
                    what, pid, tid, arguments));
}

void TraceEvents::flow(char phase, const char* name, std::uint64_t id, const std::string& track,
                       const std::string& time) {
  write(fmt::format(R"({{"ph": "{}", "id": {}, {}, "ts": {}, "cat": "{}", "name": "{}"{}}})", phase,
                    id, track, time, name, name, phase == 'f' ? R"(, "bp": "e")" : ""));
}

const OpRecord* TraceEvents::frame(std::uint32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::string TraceEvents::track_of(const OpRecord& op) const {
  return fmt::format(R"("pid": {}, "tid": {})", facts_.process, thread_id(op.thread));
}

std::string TraceEvents::since_start(Nanoseconds time) const {
  return micros(time - facts_.steady_start);
}

}  // namespace ridgeline
