#include "profile/whole_steps.h"

#include <map>
#include <tuple>
#include <unordered_map>

namespace ridgeline {
namespace {

using ById = std::unordered_map<std::uint32_t, const OpRecord*>;

bool is_outermost(const OpRecord& op, const ById& by_id) {
  for (auto around = by_id.find(op.parent); around != by_id.end();
       around = by_id.find(around->second->parent)) {
    if (around->second->name == op.name) return false;
  }
  return true;
}

std::vector<OpTotal> totals_of(const std::vector<OpRecord>& ops, std::size_t threads) {
  ById by_id;
  std::unordered_map<std::uint32_t, Nanoseconds> inside;
  std::vector<bool> steps(threads);
  for (const OpRecord& op : ops) {
    by_id.emplace(op.id, &op);
    inside[op.parent] += op.end - op.start;
    if (op.kind == FrameKind::Step) steps.at(op.thread) = true;
  }
  std::map<std::tuple<std::uint16_t, NameId, NameId, NameId, FrameKind, StepPhase>, OpTotal> totals;
  for (const OpRecord& op : ops) {
    OpTotal& total = totals[{op.thread, op.name, op.shape, op.module, op.kind, op.phase}];
    total.name = op.name;
    total.shape = op.shape;
    total.module = op.module;
    total.kind = op.kind;
    total.phase = op.phase;
    total.beside = !steps.at(op.thread);
    ++total.calls;
    const auto children = inside.find(op.id);
    total.self += op.end - op.start - (children == inside.end() ? 0 : children->second);
    if (is_outermost(op, by_id)) total.total += op.end - op.start;
  }
  std::vector<OpTotal> list;
  for (const auto& [key, total] : totals) list.push_back(total);
  return list;
}

}  // namespace

Recording whole_steps(Recording recording, Nanoseconds end) {
  if (recording.gaps.ops_beyond_limit > 0) return recording;
  std::erase_if(recording.steps, [&](const RecordedStep& step) { return step.start >= end; });
  std::erase_if(recording.ops, [&](const OpRecord& op) { return op.start >= end; });
  std::erase_if(recording.memory, [&](const MemoryRecord& record) { return record.time >= end; });
  std::erase_if(recording.device, [&](const DeviceRecord& record) { return record.start >= end; });
  std::erase_if(recording.syncs, [&](const SyncRecord& sync) { return sync.start >= end; });
  recording.totals = totals_of(recording.ops, recording.threads.size());
  return recording;
}

}  // namespace ridgeline
