#include "profile/stacks.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "profile/text_file.h"

namespace ridgeline {
namespace {

// Walks the frames in the order they began and calls back at every beginning and end.
template <class Begin, class End>
void walk(std::span<const OpRecord> thread, Begin&& begin, End&& end) {
  std::vector<const OpRecord*> open;
  for (const OpRecord& op : thread) {
    while (!open.empty() && open.back()->id != op.parent) {
      end(*open.back());
      open.pop_back();
    }
    begin(op);
    open.push_back(&op);
  }
  for (; !open.empty(); open.pop_back()) end(*open.back());
}

std::vector<std::span<const OpRecord>> by_thread(const Recording& recording) {
  std::vector<std::span<const OpRecord>> threads;
  const std::span<const OpRecord> all(recording.ops);
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].thread == all[first].thread) ++last;
    threads.push_back(all.subspan(first, last - first));
    first = last;
  }
  return threads;
}

}  // namespace

std::string folded_name(std::string name) {
  std::ranges::replace(name, ';', ':');
  std::ranges::replace(name, '\n', ' ');
  return name;
}

std::vector<FoldedStack> folded_stacks(const Recording& recording) {
  std::map<std::string, Nanoseconds> stacks;
  for (const auto thread : by_thread(recording)) {
    std::vector<std::size_t> lengths;  // of the stack's text before each open frame
    std::vector<Nanoseconds> children;
    std::string stack;
    walk(
        thread,
        [&](const OpRecord& op) {
          lengths.push_back(stack.size());
          children.push_back(0);
          if (!stack.empty()) stack += ';';
          // All steps fold into one.
          stack += op.kind == FrameKind::Step ? "step" : folded_name(recording.name(op.name));
        },
        [&](const OpRecord& op) {
          const Nanoseconds took = op.end - op.start;
          stacks[stack] += took - children.back();
          stack.resize(lengths.back());
          lengths.pop_back();
          children.pop_back();
          if (!children.empty()) children.back() += took;
        });
  }
  std::vector<FoldedStack> folded;
  for (const auto& [stack, time] : stacks)
    folded.push_back({.frames = stack, .value = static_cast<double>((time + 500) / 1000)});
  return folded;
}

void write_folded_stacks(const std::filesystem::path& path, std::span<const FoldedStack> stacks) {
  TextFile file(path);
  for (const FoldedStack& stack : stacks)
    file.write(fmt::format("{} {:.0f}\n", stack.frames, stack.value));
  file.commit();
}

void write_speedscope(const std::filesystem::path& path, const Recording& recording,
                      std::string_view title) {
  TextFile file(path);
  file.write(
      R"({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [)");
  for (std::size_t i = 0; i < recording.names.size(); ++i)
    file.write(fmt::format(R"({}{{"name": "{}"}})", i == 0 ? "" : ",\n",
                           json_escaped(recording.names[i])));
  file.write("]}, \"profiles\": [");
  bool first_thread = true;
  for (const auto thread : by_thread(recording)) {
    Nanoseconds last = 0;
    for (const OpRecord& op : thread) last = std::max(last, op.end);
    file.write(fmt::format(
        R"({}{{"type": "evented", "name": "thread {}", "unit": "nanoseconds", "startValue": 0, "endValue": {}, "events": [)",
        first_thread ? "" : ",\n", recording.threads.at(thread.front().thread).system_id,
        last - thread.front().start));
    first_thread = false;
    bool first = true;
    const auto event = [&](char type, NameId frame, Nanoseconds time) {
      file.write(fmt::format(R"({}{{"type": "{}", "frame": {}, "at": {}}})", first ? "\n" : ",\n",
                             type, frame, time - thread.front().start));
      first = false;
    };
    walk(
        thread, [&](const OpRecord& op) { event('O', op.name, op.start); },
        [&](const OpRecord& op) { event('C', op.name, op.end); });
    file.write("]}");
  }
  file.write(
      fmt::format("], \"name\": \"{}\", \"exporter\": \"ridgeline\"}}\n", json_escaped(title)));
  file.commit();
}

}  // namespace ridgeline
