#include "profile/memory_timeline.h"

#include <algorithm>
#include <utility>

#include "trace/profile_facts.h"

namespace ridgeline {
namespace {

// A block begins or ends; without a record nobody saw it happen.
struct Change {
  Nanoseconds time{};
  std::int64_t bytes{};  // below zero when it ends
  std::uint32_t record = kNoRecord;
  MemoryKind kind = MemoryKind::Other;
};

bool comes_before(const Change& a, const Change& b) {
  if (a.time != b.time) return a.time < b.time;
  // What was not seen goes first: a block that ends so makes room for the one that is.
  static_assert(kNoRecord + 1U == 0U);
  return a.record + 1U < b.record + 1U;
}

// With one of no bytes where the steps begin and where they end, so that the curve spans them.
std::vector<Change> changes_of(const Recording& recording, const BlockLives& lives,
                               bool on_device) {
  // A record that was lost could be the end of any block.
  const Nanoseconds until =
      recording.gaps.memory_beyond_limit > 0 ? recording.gaps.memory_lost_from : kStillAlive;
  std::vector<Change> changes;
  if (!recording.steps.empty()) {
    changes.push_back({.time = recording.steps.front().start});
    changes.push_back({.time = std::min(recording.steps.back().end, until)});
  }
  for (const BlockLife& life : lives.lives) {
    if (life.on_device != on_device) continue;
    if (life.begin >= until) continue;
    changes.push_back(
        {.time = life.begin, .bytes = life.bytes, .record = life.begin_record, .kind = life.kind});
    if (life.end >= until) continue;
    changes.push_back(
        {.time = life.end, .bytes = -life.bytes, .record = life.end_record, .kind = life.kind});
  }
  std::ranges::stable_sort(changes, comes_before);
  return changes;
}

// Keeps of every stretch of time the lowest, the highest and the last level.
class Thinner {
 public:
  Thinner(Nanoseconds begin, Nanoseconds end, std::size_t changes)
      : begin_(begin),
        width_(changes <= kMostLevels ? 0
                                      : std::max<Nanoseconds>(1, (end - begin) / kStretches + 1)) {}

  void add(const MemoryMoment& level) {
    const Nanoseconds stretch = width_ == 0 ? 0 : (level.time - begin_) / width_;
    if (width_ == 0) {
      kept_.push_back(level);
      return;
    }
    if (!open_.empty() && stretch != stretch_) flush();
    stretch_ = stretch;
    if (open_.empty()) {
      open_.assign(3, level);
      return;
    }
    if (level.total() < open_[0].total()) open_[0] = level;
    if (level.total() > open_[1].total()) open_[1] = level;
    open_[2] = level;
  }
  [[nodiscard]] std::vector<MemoryMoment> finish() {
    flush();
    return std::move(kept_);
  }

 private:
  static constexpr Nanoseconds kStretches = static_cast<Nanoseconds>(kMostLevels) / 3;

  void flush() {
    std::ranges::stable_sort(open_, {}, &MemoryMoment::time);
    const auto twice = std::ranges::unique(open_, [](const MemoryMoment& a, const MemoryMoment& b) {
      return a.time == b.time && a.bytes == b.bytes;
    });
    open_.erase(twice.begin(), twice.end());
    kept_.insert(kept_.end(), open_.begin(), open_.end());
    open_.clear();
  }

  Nanoseconds begin_;
  Nanoseconds width_;  // 0: all are kept
  Nanoseconds stretch_ = 0;
  std::vector<MemoryMoment> open_;  // lowest, highest, last of the stretch
  std::vector<MemoryMoment> kept_;
};

class CurveMaker {
 public:
  CurveMaker(const Recording& recording, const BlockLives& lives, bool on_device)
      : recording_(recording), changes_(changes_of(recording, lives, on_device)) {
    curve_.on_device = on_device;
    const auto forward = std::ranges::find_if(recording.ops, [](const OpRecord& op) {
      return op.kind == FrameKind::Phase && op.phase == StepPhase::Forward;
    });
    if (forward != recording.ops.end()) forward_ = {forward->start, forward->end};
    for (const BlockLife& life : lives.lives) {
      if (life.on_device == on_device) ++curve_.blocks[static_cast<std::size_t>(life.kind)];
    }
  }

  [[nodiscard]] MemoryCurve make() {
    if (changes_.empty()) return curve_;
    count_allocations();
    if (curve_.on_device) unknown_ = unknown_at_first();
    Thinner thinner(changes_.front().time, changes_.back().time, changes_.size());
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      apply(changes_[i]);
      const bool more = i + 1 < changes_.size() && changes_[i].record == kNoRecord &&
                        changes_[i + 1].record == kNoRecord &&
                        changes_[i + 1].time == changes_[i].time;
      if (more) continue;
      MemoryMoment level{.time = changes_[i].time, .bytes = known_};
      level.bytes[static_cast<std::size_t>(MemoryKind::Other)] += unknown_;
      thinner.add(level);
      look_at(level, changes_[i].record);
    }
    curve_.levels = thinner.finish();
    describe_peak();
    return std::move(curve_);
  }

 private:
  void count_allocations() {
    for (const MemoryRecord& record : recording_.memory) {
      if (record.on_device != curve_.on_device || record.bytes <= 0) continue;
      ++curve_.allocations;
      curve_.allocated += record.bytes;
      if (static_cast<double>(record.bytes) < kSmallAllocation.count) ++curve_.small_allocations;
    }
  }

  // What the allocator had given out before the first record, less what is known of then.
  [[nodiscard]] std::int64_t unknown_at_first() const {
    std::int64_t known = 0;
    for (const Change& change : changes_) {
      if (change.record == kNoRecord) {
        known += change.bytes;
        continue;
      }
      const MemoryRecord& record = recording_.memory[change.record];
      return std::max<std::int64_t>(0, record.allocated - record.bytes - known);
    }
    return 0;
  }

  void apply(const Change& change) {
    known_[static_cast<std::size_t>(change.kind)] += change.bytes;
    known_sum_ += change.bytes;
    if (!curve_.on_device || change.record == kNoRecord) return;
    const std::int64_t counted = recording_.memory[change.record].allocated;
    unknown_ = std::max<std::int64_t>(0, counted - known_sum_);
  }

  void look_at(const MemoryMoment& level, std::uint32_t record) {
    if (is_first_) curve_.first = level.total();
    for (std::size_t kind = 0; kind < kMemoryKinds; ++kind)
      curve_.highest[kind] = std::max(curve_.highest[kind], level.bytes[kind]);
    if (forward_ && level.time < forward_->first) curve_.before_forward = level.total();
    if (forward_ && level.time <= forward_->second) curve_.after_forward = level.total();
    if (is_first_ || level.total() > curve_.peak.level.total()) {
      curve_.peak.level = level;
      peak_record_ = record;
    }
    is_first_ = false;
  }

  void describe_peak() {
    for (const RecordedStep& step : recording_.steps) {
      if (step.start <= curve_.peak.level.time) curve_.peak.step = step.number;
    }
    if (peak_record_ == kNoRecord) return;
    const MemoryRecord& record = recording_.memory[peak_record_];
    curve_.peak.phase = record.phase;
    curve_.peak.module = recording_.name(record.module);
    curve_.peak.op = recording_.name(record.op);
  }

  const Recording& recording_;
  std::vector<Change> changes_;
  MemoryCurve curve_;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> forward_;  // the first: begin and end
  KindBytes known_{};
  std::int64_t known_sum_ = 0;
  std::int64_t unknown_ = 0;  // counted by the allocator, named by nobody
  std::uint32_t peak_record_ = kNoRecord;
  bool is_first_ = true;
};

}  // namespace

std::optional<MemoryTimeline> memory_timeline(const Recording& recording,
                                              const ClassifyOptions& options) {
  if (recording.memory.empty()) return std::nullopt;
  const BlockLives lives = classify_memory(recording, options);
  const bool device = std::ranges::any_of(recording.memory, &MemoryRecord::on_device) ||
                      std::ranges::any_of(lives.lives, &BlockLife::on_device);
  MemoryTimeline timeline{.main = CurveMaker(recording, lives, device).make(),
                          .steps = recording.steps,
                          .freed_unseen = lives.freed_unseen,
                          .lost = recording.gaps.memory_beyond_limit,
                          .lost_from = recording.gaps.memory_lost_from};
  if (device) timeline.host = CurveMaker(recording, lives, false).make();
  return timeline;
}

}  // namespace ridgeline
