#include "trace/chrome_collector.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace ridgeline {
namespace {

constexpr std::string_view kMemoryInstant = "[memory]";

// Ids are positive and of 32 bits wherever they mean something; 0 and -1 stand for none.
std::uint32_t id_or_none(const std::optional<std::int64_t>& value) {
  const bool usable = value && *value > 0 && *value <= std::numeric_limits<std::uint32_t>::max();
  return usable ? static_cast<std::uint32_t>(*value) : 0;
}

}  // namespace

void ChromeCollector::add(const ChromeEvent& event) {
  switch (event.phase) {
    case 'X':
      return add_slice(event);
    case 'B':
    case 'E':
      return add_edge(event);
    case 'i':
    case 'I':
      if (event.name.text == kMemoryInstant) return add_memory(event);
      break;
    case '\0':
      ++trace_.notes.malformed;
      return;
    default:
      break;
  }
  ++trace_.notes.untimed;
}

void ChromeCollector::add_slice(const ChromeEvent& event) {
  if (!event.start_ns || !event.duration_ns || *event.duration_ns < 0) {
    ++trace_.notes.without_time;
    return;
  }
  const EventKind kind = kind_of_category(event.category.text);
  trace_.events.add({.kind = kind,
                     .name = name_of(event.name),
                     .track = track_of(event, kind),
                     .start_ns = *event.start_ns,
                     .duration_ns = *event.duration_ns,
                     .correlation = id_or_none(event.correlation),
                     .external = id_or_none(event.external)});
  if (is_device_work(kind) && event.bytes && *event.bytes >= 0)
    trace_.events.set_bytes(*event.bytes);
}

void ChromeCollector::add_edge(const ChromeEvent& event) {
  if (!event.start_ns) {
    ++trace_.notes.without_time;
    return;
  }
  const EventKind kind = kind_of_category(event.category.text);
  edges_.push_back({.track = track_of(event, kind),
                    .time_ns = *event.start_ns,
                    .begins = event.phase == 'B',
                    .kind = kind,
                    .name = name_of(event.name)});
}

void ChromeCollector::add_memory(const ChromeEvent& event) {
  if (!event.start_ns || !event.bytes) {
    ++trace_.notes.without_time;
    return;
  }
  trace_.events.memory.push_back({.time_ns = *event.start_ns,
                                  .bytes = *event.bytes,
                                  .device_type = event.device_type.value_or(0),
                                  .device = event.device_id.value_or(0),
                                  .allocated = event.allocated,
                                  .reserved = event.reserved});
}

void ChromeCollector::add_name(const ChromeEvent& event, const RawString& name) {
  if (name.text.empty()) return;
  const std::int64_t process = number_of(event.process);
  if (event.name.text == "process_name") line_names_.processes[process] = unescaped(name.text);
  if (event.name.text == "thread_name")
    line_names_.threads[{.process = process, .thread = number_of(event.thread)}] =
        unescaped(name.text);
}

void ChromeCollector::finish() {
  join_edges();
  find_device_work(trace_.events, line_names_);
}

// An end closes the latest begin of its track that is still open; the format has no other link.
void ChromeCollector::join_edges() {
  std::ranges::stable_sort(edges_, [](const Edge& a, const Edge& b) {
    return std::pair(a.track, a.time_ns) < std::pair(b.track, b.time_ns);
  });
  std::vector<const Edge*> open;
  for (const Edge& edge : edges_) {
    if (!open.empty() && open.back()->track != edge.track) {
      trace_.notes.unclosed_slices += open.size();
      open.clear();
    }
    if (edge.begins) {
      open.push_back(&edge);
    } else if (open.empty()) {
      ++trace_.notes.unclosed_slices;
    } else {
      const Edge& begin = *open.back();
      open.pop_back();
      std::int64_t duration = 0;
      if (__builtin_sub_overflow(edge.time_ns, begin.time_ns, &duration) ||
          begin.time_ns > std::numeric_limits<std::int64_t>::max() - duration) {
        ++trace_.notes.without_time;
        continue;
      }
      trace_.events.add({.kind = begin.kind,
                         .name = begin.name,
                         .track = begin.track,
                         .start_ns = begin.time_ns,
                         .duration_ns = duration});
    }
  }
  trace_.notes.unclosed_slices += open.size();
  edges_.clear();
}

// A GPU's events say device and stream in args; pid and tid say the same in most versions, but
// some write "stream 7".
std::uint32_t ChromeCollector::track_of(const ChromeEvent& event, EventKind kind) {
  const bool device = is_device_work(kind) || kind == EventKind::GpuUserAnnotation;
  if (!device) {
    return trace_.events.track_of(
        {.device = false, .process = number_of(event.process), .thread = number_of(event.thread)});
  }
  return trace_.events.track_of({.device = true,
                                 .process = event.device ? *event.device : number_of(event.process),
                                 .thread = event.stream ? *event.stream : number_of(event.thread)});
}

// Names get numbers where no process has one.
std::int64_t ChromeCollector::number_of_name(const RawString& name) {
  return std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(name_of(name));
}

std::uint32_t ChromeCollector::name_of(const RawString& name) {
  if (!name.escaped) return trace_.events.names.number_of(name.text);
  return trace_.events.names.number_of(unescaped(name.text));
}

}  // namespace ridgeline
