#include "profile/device_times.h"

#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ridgeline {
namespace {

using TotalKey = std::tuple<NameId, NameId, NameId, FrameKind, StepPhase>;

template <class Frame>
TotalKey key_of(const Frame& frame) {
  return {frame.name, frame.shape, frame.module, frame.kind, frame.phase};
}

class Attribution {
 public:
  explicit Attribution(Recording& recording) : recording_(recording) {
    for (const OpRecord& op : recording.ops) live_.emplace(op.id, &op);
    for (const OpRecord& op : recording.captured) captured_.emplace(op.id, &op);
    for (std::size_t i = 0; i < recording.totals.size(); ++i)
      totals_.emplace(key_of(recording.totals[i]), i);
  }

  // False when the op is not known.
  bool give(const DeviceRecord& work) {
    if (captured_.contains(work.captured)) {
      count_replay(work);
      give(work.end - work.start, captured_, work.captured);
      return true;
    }
    if (!live_.contains(work.external_id)) return false;
    give(work.end - work.start, live_, work.external_id);
    return true;
  }

 private:
  using ById = std::unordered_map<std::uint32_t, const OpRecord*>;

  OpTotal& total_of(const OpRecord& op) {
    const auto [place, is_new] = totals_.try_emplace(key_of(op), recording_.totals.size());
    if (is_new) {
      recording_.totals.push_back({.name = op.name,
                                   .shape = op.shape,
                                   .module = op.module,
                                   .kind = op.kind,
                                   .phase = op.phase});
    }
    return recording_.totals[place->second];
  }

  void give(Nanoseconds time, const ById& frames, std::uint32_t id) {
    std::unordered_set<NameId> counted;  // an op inside one of its name counts once
    bool innermost = true;
    for (auto found = frames.find(id); found != frames.end();
         found = frames.find(found->second->parent)) {
      OpTotal& total = total_of(*found->second);
      if (innermost) total.device_self += time;
      if (counted.insert(found->second->name).second) total.device_total += time;
      innermost = false;
    }
  }

  // The host never called the ops of a graph: a call is one replay of the op, and of those around
  // it.
  void count_replay(const DeviceRecord& work) {
    for (auto found = captured_.find(work.captured); found != captured_.end();
         found = captured_.find(found->second->parent)) {
      if (!replays_.emplace(found->first, work.correlation).second) return;
      ++total_of(*found->second).calls;
    }
  }

  Recording& recording_;
  ById live_;
  ById captured_;
  std::map<TotalKey, std::size_t> totals_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> replays_;
};

}  // namespace

Nanoseconds attribute_device_times(Recording& recording) {
  if (recording.device.empty()) return 0;
  Attribution attribution(recording);
  Nanoseconds unknown = 0;
  for (const DeviceRecord& work : recording.device) {
    if (!attribution.give(work)) unknown += work.end - work.start;
  }
  return unknown;
}

}  // namespace ridgeline
