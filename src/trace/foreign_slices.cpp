#include "trace/foreign_slices.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace ridgeline {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// The number behind a word: 7 of "Stream #7(Compute)" and of "cuda stream 7". -1 where the name
// ends with the word; absent where something else follows it ("GPU Process", "stream reader") or it
// is part of another word.
std::optional<std::int64_t> number_behind(std::string_view word, const std::string& name) {
  const std::size_t at = name.find(word);
  if (at == std::string::npos) return std::nullopt;
  if (at > 0 && std::isalnum(static_cast<unsigned char>(name[at - 1])) != 0) return std::nullopt;
  const std::size_t behind = name.find_first_not_of(" #:_-", at + word.size());
  if (behind == std::string::npos) return -1;
  std::int64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + behind, end, number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

struct Line {
  std::uint32_t track{};  // as the trace has it
  std::optional<std::int64_t> device{};
  std::optional<std::int64_t> stream{};
};

Line line_of(const EventTable& events, std::uint32_t number, const LineNames& names) {
  const Track& track = events.tracks()[number];
  const auto process = names.processes.find(track.process);
  const auto thread = names.threads.find(track);
  const std::string outer = process == names.processes.end() ? "" : lower(process->second);
  const std::string inner = thread == names.threads.end() ? "" : lower(thread->second);
  Line line{.track = number, .device = number_behind("gpu", outer)};
  if (!line.device) line.device = number_behind("gpu", inner);
  // "stream 3" alone could be a server's thread in another program's words.
  const bool of_device = line.device || inner.starts_with("stream") ||
                         inner.find("cuda") != std::string::npos ||
                         inner.find("hip") != std::string::npos;
  if (of_device) line.stream = number_behind("stream", inner);
  if (line.device && !line.stream) line.stream = number_behind("stream", outer);
  return line;
}

std::vector<Line> device_lines(const EventTable& events, const LineNames& names) {
  std::vector<Line> lines;
  for (std::uint32_t i = 0; i < events.tracks().size(); ++i) {
    if (!events.tracks()[i].device) lines.push_back(line_of(events, i, names));
  }
  const bool has_streams =
      std::ranges::any_of(lines, [](const Line& line) { return line.stream.has_value(); });
  std::erase_if(lines, [&](const Line& line) {
    return has_streams ? !line.stream.has_value() : !line.device.has_value();
  });
  return lines;
}

EventKind kind_of_work(std::string_view name) {
  const std::string text = lower(name);
  if (text.starts_with("memcpy")) return EventKind::Memcpy;
  return text.starts_with("memset") ? EventKind::Memset : EventKind::Kernel;
}

// A slice around others of its line is a range and no work: counted too, it would hide every gap.
void settle_line(EventTable& events, std::vector<std::uint32_t> slices, std::uint32_t track) {
  std::ranges::stable_sort(slices, [&](std::uint32_t a, std::uint32_t b) {
    if (events.start_ns(a) != events.start_ns(b)) return events.start_ns(a) < events.start_ns(b);
    return events.duration_ns(a) > events.duration_ns(b);
  });
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const bool around = i + 1 < slices.size() && events.duration_ns(slices[i + 1]) > 0 &&
                        events.duration_ns(slices[i + 1]) < events.duration_ns(slices[i]) &&
                        events.end_ns(slices[i + 1]) <= events.end_ns(slices[i]);
    const EventKind kind =
        around ? EventKind::GpuUserAnnotation : kind_of_work(events.name_text(slices[i]));
    events.move(slices[i], kind, track);
  }
}

}  // namespace

void find_device_work(EventTable& events, const LineNames& names) {
  if (names.processes.empty() && names.threads.empty()) return;
  const std::vector<Line> lines = device_lines(events, names);
  if (lines.empty()) return;
  std::map<std::uint32_t, std::vector<std::uint32_t>> slices;  // of the lines, by track
  for (const Line& line : lines) slices[line.track];
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (is_device_work(events.kind(i))) return;
    if (events.kind(i) != EventKind::Foreign) continue;
    const auto found = slices.find(events.track_number(i));
    if (found != slices.end()) found->second.push_back(i);
  }
  for (const Line& line : lines) {
    const std::int64_t thread = events.tracks()[line.track].thread;
    const std::int64_t stream = line.stream.value_or(-1);
    const std::uint32_t track =
        events.track_of({.device = true,
                         .process = std::max<std::int64_t>(0, line.device.value_or(0)),
                         .thread = stream >= 0 ? stream : thread});
    settle_line(events, std::move(slices[line.track]), track);
  }
}

}  // namespace ridgeline
