#include "profile/memory_categories.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace ridgeline {
namespace {

// A stretch of one phase of one step. Two forwards of a step are two.
struct Stretch {
  StepPhase phase = StepPhase::None;
  std::size_t step{};
  auto operator<=>(const Stretch&) const = default;
};

// Where each memory record falls. Other threads know no phases: theirs is that of the thread that
// steps.
class Stretches {
 public:
  explicit Stretches(const Recording& recording) {
    const auto& records = recording.memory;
    const auto stepping = std::ranges::find_if(
        records, [](const MemoryRecord& record) { return record.phase != StepPhase::None; });
    has_phases_ = stepping != records.end();
    places_.reserve(records.size());
    std::size_t step = 0;
    for (const MemoryRecord& record : records) {
      while (step + 1 < recording.steps.size() && recording.steps[step + 1].start <= record.time)
        ++step;
      Stretch now = stretches_.empty() ? Stretch{} : stretches_.back();
      if (now.step != step) now = {};
      now.step = step;
      if (stepping == records.end() || record.thread == stepping->thread) now.phase = record.phase;
      if (stretches_.empty() || stretches_.back() != now) stretches_.push_back(now);
      places_.push_back(static_cast<std::uint32_t>(stretches_.size() - 1));
    }
  }
  // A program that is not ours tells none, and then lifetimes prove nothing.
  [[nodiscard]] bool has_phases() const { return has_phases_; }
  [[nodiscard]] std::uint32_t place(std::uint32_t record) const { return places_[record]; }
  [[nodiscard]] const Stretch& of(std::uint32_t record) const {
    return stretches_[places_[record]];
  }

 private:
  bool has_phases_ = false;
  std::vector<Stretch> stretches_;
  std::vector<std::uint32_t> places_;  // by record
};

class Classifier {
 public:
  Classifier(const Recording& recording, const ClassifyOptions& options)
      : recording_(recording), options_(options), stretches_(recording) {}

  [[nodiscard]] BlockLives run() {
    std::size_t named = 0;
    const auto& blocks = recording_.blocks;
    for (std::uint32_t i = 0; i < recording_.memory.size(); ++i) {
      const MemoryRecord& record = recording_.memory[i];
      for (; named < blocks.size() && blocks[named].time < record.time; ++named)
        name(blocks[named]);
      record.bytes > 0 ? allocate(record, i) : release(record, i);
    }
    for (; named < blocks.size(); ++named) name(blocks[named]);
    end_those_no_longer_named();
    decide_by_phase();
    return std::move(result_);
  }

 private:
  struct Open {
    std::size_t life{};
    std::size_t named_in{};  // the last step that named it
  };
  using OpenBlocks = std::unordered_map<std::uint64_t, Open>;

  [[nodiscard]] OpenBlocks& open(bool on_device) { return open_[on_device ? 1 : 0]; }

  [[nodiscard]] std::size_t step_at(Nanoseconds time) const {
    const auto after = std::ranges::upper_bound(recording_.steps, time, {}, &RecordedStep::start);
    return after == recording_.steps.begin()
               ? 0
               : static_cast<std::size_t>(after - recording_.steps.begin()) - 1;
  }
  [[nodiscard]] Nanoseconds step_start(Nanoseconds time) const {
    return recording_.steps.empty() ? time : std::min(time, recording_.steps[step_at(time)].start);
  }

  std::size_t begin_life(const BlockLife& life, bool is_named) {
    result_.lives.push_back(life);
    is_named_.push_back(is_named);
    return result_.lives.size() - 1;
  }

  void allocate(const MemoryRecord& record, std::uint32_t place) {
    OpenBlocks& blocks = open(record.on_device);
    if (const auto found = blocks.find(record.address); found != blocks.end()) {
      result_.lives[found->second.life].end = record.time;
      ++result_.freed_unseen;
    }
    const std::size_t life = begin_life({.address = record.address,
                                         .bytes = record.bytes,
                                         .begin = record.time,
                                         .begin_record = place,
                                         .on_device = record.on_device},
                                        false);
    blocks[record.address] = {.life = life, .named_in = 0};
  }

  void release(const MemoryRecord& record, std::uint32_t place) {
    OpenBlocks& blocks = open(record.on_device);
    const auto found = blocks.find(record.address);
    std::size_t life = 0;
    if (found == blocks.end()) {
      life = begin_life({.address = record.address,
                         .bytes = -record.bytes,
                         .begin = step_start(record.time),
                         .on_device = record.on_device},
                        false);
    } else {
      life = found->second.life;
      blocks.erase(found);
    }
    result_.lives[life].end = record.time;
    result_.lives[life].end_record = place;
  }

  // The first name counts: a storage that two tensors share is named twice.
  void name(const NamedBlock& named) {
    const MemoryBlock& block = named.block;
    if (block.bytes <= 0) return;
    const auto [found, fresh] = open(block.on_device).try_emplace(block.address);
    Open& open = found->second;
    open.named_in = step_at(named.time);
    if (fresh) {
      open.life = begin_life({.address = block.address,
                              .bytes = block.bytes,
                              .begin = step_start(named.time),
                              .kind = block.kind,
                              .on_device = block.on_device},
                             true);
    } else if (!is_named_[open.life]) {
      result_.lives[open.life].kind = block.kind;
      is_named_[open.life] = true;
    }
  }

  // Every step names all that it keeps. What was there before the recording, and a later step does
  // not name, went while nothing was recorded.
  void end_those_no_longer_named() {
    if (recording_.blocks.empty()) return;
    const std::size_t last = step_at(recording_.blocks.back().time);
    for (const OpenBlocks& blocks : open_) {
      for (const auto& [address, open] : blocks) {
        BlockLife& life = result_.lives[open.life];
        const bool seen_to_begin = life.begin_record != kNoRecord;
        if (seen_to_begin || open.named_in >= last) continue;
        life.end = recording_.steps[open.named_in].end;
      }
    }
  }

  // The last allocation of a step that broke off; what was freed after it was freed by unwinding.
  [[nodiscard]] Nanoseconds break_time() const {
    if (!options_.broke_off) return kStillAlive;
    for (std::size_t i = recording_.memory.size(); i > 0; --i) {
      if (recording_.memory[i - 1].bytes > 0) return recording_.memory[i - 1].time;
    }
    return kStillAlive;
  }

  void decide_by_phase() {
    if (!stretches_.has_phases()) return;
    const Nanoseconds broke = break_time();
    for (std::size_t i = 0; i < result_.lives.size(); ++i) {
      BlockLife& life = result_.lives[i];
      if (is_named_[i] || life.begin_record == kNoRecord || life.end_record == kNoRecord ||
          life.end > broke)
        continue;
      if (stretches_.place(life.begin_record) == stretches_.place(life.end_record)) {
        life.kind = MemoryKind::Temporary;
      } else if (stretches_.of(life.begin_record).phase == StepPhase::Forward) {
        life.kind = MemoryKind::Activation;
      }
    }
  }

  const Recording& recording_;
  ClassifyOptions options_;
  Stretches stretches_;
  BlockLives result_;
  std::vector<bool> is_named_;      // by life
  std::array<OpenBlocks, 2> open_;  // on the host, on the device
};

}  // namespace

BlockLives classify_memory(const Recording& recording, const ClassifyOptions& options) {
  return Classifier(recording, options).run();
}

}  // namespace ridgeline
