#include "profile/join_sides.h"

#include <algorithm>
#include <unordered_map>

#include "profile/name_table.h"

namespace ridgeline {
namespace {

std::uint64_t what_of(const LaunchCall& call) { return call.what; }
std::uint64_t what_of(const SyncRecord& wait) { return static_cast<std::uint64_t>(wait.kind); }
std::uint32_t frame_of(const LaunchCall& call) { return call.frame; }
std::uint32_t frame_of(const SyncRecord& wait) { return wait.external_id; }

// Steps are called by their numbers.
NameId name_of(const OpRecord& frame) {
  return frame.kind == FrameKind::Step ? NameTable::kNone : frame.name;
}

// For each step what began in it, in the order of the list.
template <class Event>
std::vector<std::vector<Event*>> by_step(std::span<Event> events,
                                         const std::vector<RecordedStep>& steps) {
  std::vector<std::vector<Event*>> lists(steps.size());
  for (Event& event : events) {
    const auto after = std::ranges::upper_bound(steps, event.start, {}, &RecordedStep::start);
    if (after == steps.begin() || event.start > std::prev(after)->end) continue;
    lists[static_cast<std::size_t>(after - steps.begin()) - 1].push_back(&event);
  }
  return lists;
}

// Those of several threads, as they came.
template <class Call>
std::vector<std::vector<Call*>> calls_by_step(std::vector<Call>& calls,
                                              const std::vector<RecordedStep>& steps) {
  auto lists = by_step(std::span<Call>(calls), steps);
  for (auto& list : lists)
    std::ranges::stable_sort(list, {}, [](auto* call) { return call->start; });
  return lists;
}

using Places = std::unordered_map<std::uint32_t, std::size_t>;  // of frames, by id

template <class Call>
std::vector<StepCalls::Call> placed(const std::vector<Call>& calls, const RecordedStep& step,
                                    const Places& places) {
  std::vector<Call> own(calls);
  const auto lists = calls_by_step(own, {step});
  std::vector<StepCalls::Call> list;
  for (const Call* call : lists.front()) {
    const auto place = places.find(frame_of(*call));
    list.push_back({.what = what_of(*call),
                    .frame = place == places.end() ? StepCalls::kNoFrame : place->second});
  }
  return list;
}

// The frames of one step, as far as they are those that are known.
class KnownFrames {
 public:
  KnownFrames(const std::vector<const OpRecord*>& frames, const std::vector<NameId>& known) {
    const std::size_t both = std::min(frames.size(), known.size());
    for (std::size_t i = 0; i < both && name_of(*frames[i]) == known[i]; ++i)
      ids_.push_back(frames[i]->id);
  }
  [[nodiscard]] bool has(std::size_t place) const {
    return place == StepCalls::kNoFrame || place < ids_.size();
  }
  [[nodiscard]] std::uint32_t id(std::size_t place) const {
    return place == StepCalls::kNoFrame ? 0 : ids_[place];
  }

 private:
  std::vector<std::uint32_t> ids_;
};

// Hands each call its frame, as long as calls are the known ones. Returns how many that are.
template <class Call, class Give>
std::size_t give_frames(const std::vector<Call*>& calls, const std::vector<StepCalls::Call>& known,
                        const KnownFrames& frames, const Give& give) {
  const std::size_t both = std::min(calls.size(), known.size());
  std::size_t i = 0;
  for (; i < both && what_of(*calls[i]) == known[i].what && frames.has(known[i].frame); ++i)
    give(*calls[i], frames.id(known[i].frame));
  return i;
}

}  // namespace

StepCalls calls_of_step(const Recording& recording, const ObservedWork& work) {
  if (recording.steps.empty()) return {};
  const RecordedStep& step = recording.steps.back();
  StepCalls calls;
  Places places;
  const auto lists = by_step(std::span<const OpRecord>(recording.ops), {step});
  for (const OpRecord* frame : lists.front()) {
    places.emplace(frame->id, calls.frames.size());
    calls.frames.push_back(name_of(*frame));
  }
  calls.launches = placed(work.launches, step, places);
  calls.waits = placed(work.syncs, step, places);
  return calls;
}

std::uint64_t join_sides(ObservedWork& work, const Recording& recording,
                         const std::vector<RecordedStep>& device_steps, const StepCalls& calls) {
  const auto frames = by_step(std::span<const OpRecord>(recording.ops), recording.steps);
  const auto launches = calls_by_step(work.launches, device_steps);
  const auto waits = calls_by_step(work.syncs, device_steps);
  std::uint64_t unlike = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> launchers;  // by correlation
  for (std::size_t i = 0; i < std::min(frames.size(), device_steps.size()); ++i) {
    const KnownFrames known(frames[i], calls.frames);
    unlike += launches[i].size() - give_frames(launches[i], calls.launches, known,
                                               [&](const LaunchCall& call, std::uint32_t frame) {
                                                 launchers[call.correlation] = frame;
                                               });
    give_frames(waits[i], calls.waits, known,
                [](SyncRecord& wait, std::uint32_t frame) { wait.external_id = frame; });
  }
  for (DeviceRecord& record : work.records) {
    const auto found = launchers.find(record.correlation);
    if (found != launchers.end()) record.external_id = found->second;
  }
  return unlike;
}

}  // namespace ridgeline
