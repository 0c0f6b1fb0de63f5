#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/memory_blocks.h"
#include "engine/scope.h"

namespace ridgeline {

// Times of records are nanoseconds of steady_clock; names, shapes and modules are numbers in the
// NameTable of the recording, 0 for none.
using Nanoseconds = std::int64_t;
using NameId = std::uint32_t;

enum class FrameKind : std::uint8_t {
  Step,      // one whole step
  Phase,     // forward, backward, optimizer
  Module,    // a block or layer of a model
  Range,     // a range of the user's own
  Op,        // an ATen op
  Backward,  // a node of autograd's graph
};
[[nodiscard]] constexpr bool is_op(FrameKind kind) { return kind >= FrameKind::Op; }

inline constexpr std::int64_t kNoSequence = -1;
// A node that accumulates a gradient has the greatest number there is, which means none.
[[nodiscard]] constexpr std::int64_t sequence_of(std::uint64_t number) noexcept {
  return number > std::uint64_t{INT64_MAX} ? kNoSequence : static_cast<std::int64_t>(number);
}

enum class Keep : std::uint8_t { Everything, Nothing };

// One finished frame of a thread's stack. Frames of a thread are perfectly nested.
struct OpRecord {
  Nanoseconds start{};
  Nanoseconds end{};
  Nanoseconds self{};                   // without the frames inside it
  std::int64_t sequence = kNoSequence;  // joins a node of the backward to the op that made it
  NameId name{};
  NameId shape{};
  NameId module{};
  std::uint32_t id{};              // from 1, unique in the recording: what device records refer to
  std::uint32_t parent{};          // id of the frame around it; 0 for none
  std::uint32_t forward_thread{};  // torch's number of the thread that made the node; 0 for none
  std::uint16_t thread{};          // place in Recording::threads
  bool outermost = true;           // no frame of its name around it
  FrameKind kind = FrameKind::Op;
  StepPhase phase = StepPhase::None;
};

// What a frame of one description came to, over all recorded steps and also beyond the trace's
// limit. Self times of all entries of a thread add up to the time of its outermost frames: for the
// thread that steps, to the steps.
struct alignas(64) OpTotal {  // a cache line: it is touched at every op
  NameId name{};
  NameId shape{};
  NameId module{};
  FrameKind kind = FrameKind::Op;
  StepPhase phase = StepPhase::None;
  bool beside = false;  // on a thread that runs beside the one that steps
  std::uint64_t calls{};
  Nanoseconds self{};
  Nanoseconds total{};  // of the outermost of nested frames of one name alone
  Nanoseconds device_self{};
  Nanoseconds device_total{};
};

enum class DeviceRecordKind : std::uint8_t {
  Kernel,
  Copy,
  Set,
  Replay,  // of a whole graph, whose kernels and copies were not recorded
};

// Work of a device, from whoever can see it (CUPTI). `external_id` is the id of the op that
// launched it, 0 where that is not known.
struct DeviceRecord {
  DeviceRecordKind kind = DeviceRecordKind::Kernel;
  std::string name{};
  Nanoseconds start{};
  Nanoseconds end{};
  std::uint32_t external_id{};
  std::uint32_t captured{};     // of a graph's node: id in Recording::captured; 0 where not known
  std::uint64_t graph_node{};   // 0 outside graphs
  std::uint32_t correlation{};  // of the host's call; all nodes of a graph have that of its launch
  std::uint32_t device{};
  std::uint32_t context{};
  std::uint32_t stream{};
  std::uint32_t grid[3]{};
  std::uint32_t block[3]{};
  std::uint32_t registers{};
  std::uint64_t shared_memory{};
  std::uint64_t bytes{};  // of copies and sets
  Nanoseconds launch{};   // the host's call that asked for it; both 0 where that is not known
  Nanoseconds launch_end{};
};

// When the host asked for it, where that is known: a device may work past the end of the step, and
// start what several streams were given in any order.
[[nodiscard]] inline Nanoseconds asked_at(const DeviceRecord& record) {
  return record.launch != 0 ? record.launch : record.start;
}

enum class SyncKind : std::uint8_t { Event, Stream, Context, StreamWaitsForEvent };

// A call that makes the host wait for a device, or (StreamWaitsForEvent, over at once) one stream
// for another. Times are the host's: it is no work, so it stands apart from DeviceRecord and no sum
// of device time can meet it.
struct SyncRecord {
  SyncKind kind = SyncKind::Event;
  Nanoseconds start{};
  Nanoseconds end{};
  std::uint32_t external_id{};  // the frame that was open; 0 where that is not known
  std::uint32_t correlation{};  // of the host's call
  std::uint32_t device{};
  std::uint32_t context{};
  std::optional<std::uint32_t> stream{};  // waited for; of StreamWaitsForEvent the one that waits
};
// It is the host that waits.
[[nodiscard]] constexpr bool holds_host(SyncKind kind) {
  return kind != SyncKind::StreamWaitsForEvent;
}
// As PyTorch's profiler names it.
[[nodiscard]] std::string_view name_of(SyncKind kind);

// An allocation (bytes above zero) or a release (below).
struct MemoryRecord {
  Nanoseconds time{};
  std::uint64_t address{};
  std::int64_t bytes{};
  std::int64_t allocated{};  // in all, after it
  std::int64_t reserved{};   // held by the allocator; 0 where it does not tell
  NameId module{};
  NameId op{};
  std::uint16_t thread{};
  std::int16_t device = -1;  // its number; -1 for the host
  bool on_device = false;
  StepPhase phase = StepPhase::None;
};

// A block that the step itself said the purpose of, and when: it lived then.
struct NamedBlock {
  Nanoseconds time{};
  MemoryBlock block{};
};

struct RecordedThread {
  std::uint64_t system_id{};  // the kernel's
  std::uint64_t torch_id{};   // RecordFunction's logical number
};

struct RecordedStep {
  std::int64_t number{};
  Nanoseconds start{};
  Nanoseconds end{};
};

// The step waited for its batch.
struct DataWait {
  Nanoseconds start{};
  Nanoseconds end{};
};

// What stood in the way of a full record; all zero is the normal case.
struct RecordingGaps {
  std::uint64_t ops_beyond_limit{};     // counted in the totals, absent from the trace
  std::uint64_t memory_beyond_limit{};  // absent from the trace and from the curve of memory
  std::uint64_t frames_too_deep{};      // absent from both; their time is their parents'
  std::uint64_t names_beyond_limit{};   // stand under one name together
  std::uint64_t unfinished{};           // still open at the end, closed there
  std::uint64_t device_beyond_limit{};  // kernels and copies that are not recorded
  std::uint64_t device_dropped{};       // that the driver could not report
  std::uint64_t launches_unlike{};      // not those of the step with the ops: they belong to none
  Nanoseconds memory_lost_from{};       // when the first of memory_beyond_limit came; 0: none
  void lose_memory(std::uint64_t records, Nanoseconds from) {
    if (records == 0) return;
    memory_lost_from = memory_beyond_limit == 0 ? from : std::min(memory_lost_from, from);
    memory_beyond_limit += records;
  }
  [[nodiscard]] bool any() const {
    return ops_beyond_limit + memory_beyond_limit + frames_too_deep + names_beyond_limit +
               unfinished + device_beyond_limit + device_dropped + launches_unlike >
           0;
  }
};

// Everything that was seen in the recorded steps.
struct Recording {
  std::vector<std::string> names{};
  std::vector<RecordedThread> threads{};
  std::vector<RecordedStep> steps{};
  // Where the device's work was recorded in steps of its own: one for each of `steps`, whose ops
  // its work belongs to. Empty where all was recorded in the same steps.
  std::vector<RecordedStep> device_steps{};
  std::vector<OpRecord> ops{};  // thread by thread, by start
  // The frames under which graphs were captured, without times; ids and parents are of this list.
  std::vector<OpRecord> captured{};
  std::vector<OpTotal> totals{};
  std::vector<MemoryRecord> memory{};
  std::vector<NamedBlock> blocks{};  // in order of time
  std::vector<DeviceRecord> device{};
  std::vector<SyncRecord> syncs{};     // by start
  std::vector<DataWait> data_waits{};  // by start, inside steps; from whoever feeds them
  // There is a GPU that nobody watched: whether an op worked on the host or only launched is not
  // known then.
  bool device_unseen = false;
  RecordingGaps gaps{};

  [[nodiscard]] const std::string& name(NameId id) const { return names.at(id); }
  // Those in which the device was watched, if any.
  [[nodiscard]] const std::vector<RecordedStep>& steps_of_device() const {
    return device_steps.empty() ? steps : device_steps;
  }
};

}  // namespace ridgeline
