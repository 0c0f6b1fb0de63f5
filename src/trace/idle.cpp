#include "trace/idle.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ridgeline {
namespace {

IdleCause cause_of(const EventTable& events, const DeviceWork::Item& next, std::int64_t idle_since,
                   std::int64_t idle_ns) {
  if (next.launch && events.start_ns(*next.launch) > idle_since) return IdleCause::HostWait;
  return idle_ns < kLongestKernelWait_ns ? IdleCause::KernelWait : IdleCause::Other;
}

std::int64_t first_start(const EventTable& events) {
  std::int64_t first = events.size() > 0 ? events.start_ns(0) : 0;
  for (std::size_t i = 0; i < events.size(); ++i) first = std::min(first, events.start_ns(i));
  return first;
}

}  // namespace

std::string_view name_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::HostWait:
      return "host wait";
    case IdleCause::KernelWait:
      return "kernel wait";
    case IdleCause::Other:
      break;
  }
  return "other";
}

std::vector<StreamIdle> idle_causes(const EventTable& events, const DeviceWork& work) {
  struct Stream {
    StreamIdle idle{};
    std::int64_t busy_until = 0;
  };
  std::map<Track, Stream> streams;
  for (const DeviceWork::Item& item : work.items()) {
    const Track& track = events.track(item.event);
    const auto [found, fresh] = streams.try_emplace(track);
    Stream& stream = found->second;
    const std::int64_t start = events.start_ns(item.event);
    const std::int64_t end = events.end_ns(item.event);
    if (fresh) {
      stream.idle.device = track.process;
      stream.idle.stream = track.thread;
    } else if (start > stream.busy_until) {
      const std::int64_t idle = start - stream.busy_until;
      const IdleCause cause = cause_of(events, item, stream.busy_until, idle);
      std::int64_t& sum = cause == IdleCause::HostWait     ? stream.idle.host_wait_ns
                          : cause == IdleCause::KernelWait ? stream.idle.kernel_wait_ns
                                                           : stream.idle.other_ns;
      sum = add_times(sum, idle);
    }
    stream.busy_until = fresh ? end : std::max(stream.busy_until, end);
  }
  std::vector<StreamIdle> out;
  for (const auto& [track, stream] : streams) out.push_back(stream.idle);
  return out;
}

std::vector<Gap> longest_gaps(const EventTable& events, const DeviceWork& work, std::size_t most) {
  struct Candidate {
    std::int64_t length_ns{};
    const DeviceWork::Item* before{};
    const DeviceWork::Item* after{};
  };
  std::map<std::int64_t, const DeviceWork::Item*> last;  // by device: what ends latest so far
  std::vector<Candidate> gaps;
  for (const DeviceWork::Item& item : work.items()) {
    const auto [found, fresh] = last.try_emplace(events.track(item.event).process, &item);
    if (fresh) continue;
    const std::int64_t busy_until = events.end_ns(found->second->event);
    if (events.start_ns(item.event) > busy_until) {
      gaps.push_back({.length_ns = events.start_ns(item.event) - busy_until,
                      .before = found->second,
                      .after = &item});
    }
    if (events.end_ns(item.event) > busy_until) found->second = &item;
  }
  std::ranges::stable_sort(gaps, std::greater{}, &Candidate::length_ns);
  gaps.resize(std::min(most, gaps.size()));
  const std::int64_t origin = first_start(events);
  std::vector<Gap> out;
  for (const Candidate& gap : gaps) {
    const std::int64_t since = events.end_ns(gap.before->event);
    out.push_back({.device = events.track(gap.after->event).process,
                   .start_ns = since - origin,
                   .length_ns = gap.length_ns,
                   .before = events.name_text(gap.before->event),
                   .after = events.name_text(gap.after->event),
                   .cause = cause_of(events, *gap.after, since, gap.length_ns)});
  }
  return out;
}

}  // namespace ridgeline
