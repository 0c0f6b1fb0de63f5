#include "profile/device_times.h"

#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ridgeline {
namespace {

using TotalKey = std::tuple<NameId, NameId, NameId, FrameKind, StepPhase>;

struct KeyHash {
  std::size_t operator()(const TotalKey& key) const {
    const auto& [name, shape, module, kind, phase] = key;
    std::size_t hash = name;
    for (const std::size_t part : {std::size_t{shape}, std::size_t{module},
                                   static_cast<std::size_t>(kind), static_cast<std::size_t>(phase)})
      hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    return hash;
  }
};

template <class Frame>
TotalKey key_of(const Frame& frame) {
  return {frame.name, frame.shape, frame.module, frame.kind, frame.phase};
}

}  // namespace

Nanoseconds attribute_device_times(Recording& recording) {
  if (recording.device.empty()) return 0;
  std::unordered_map<std::uint32_t, const OpRecord*> by_id;
  for (const OpRecord& op : recording.ops) by_id.emplace(op.id, &op);
  std::unordered_map<TotalKey, OpTotal*, KeyHash> totals;
  for (OpTotal& total : recording.totals) totals.emplace(key_of(total), &total);
  Nanoseconds unknown = 0;
  for (const DeviceRecord& work : recording.device) {
    const Nanoseconds took = work.end - work.start;
    const auto launched = by_id.find(work.external_id);
    if (launched == by_id.end()) {
      unknown += took;
      continue;
    }
    std::unordered_set<NameId> counted;  // an op inside one of its name counts once
    for (auto found = launched; found != by_id.end(); found = by_id.find(found->second->parent)) {
      const auto total = totals.find(key_of(*found->second));
      if (total == totals.end()) continue;
      if (found == launched) total->second->device_self += took;
      if (counted.insert(found->second->name).second) total->second->device_total += took;
    }
  }
  return unknown;
}

}  // namespace ridgeline
