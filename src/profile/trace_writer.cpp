#include "profile/trace_writer.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "profile/shape_arguments.h"
#include "profile/trace_device.h"
#include "profile/trace_events.h"
#include "trace/module_kind.h"

namespace ridgeline {
namespace {

class TraceText {
 public:
  TraceText(TextFile& file, const Recording& recording, const TraceFacts& facts)
      : file_(file), recording_(recording), facts_(facts), events_(file, recording, facts) {}

  void write() {
    header();
    metadata();
    all_steps();
    for (const OpRecord& op : recording_.ops) frame(op);
    for (const RecordedStep& step : recording_.device_steps) device_step(step);
    for (const DataWait& wait : recording_.data_waits) data_wait(wait);
    joins();
    write_device_events(events_);
    for (const MemoryRecord& record : recording_.memory) allocation(record);
    end();
  }

 private:
  void header() {
    file_.write("{\n\"schemaVersion\": 1,\n\"deviceProperties\": [");
    for (std::size_t i = 0; i < facts_.devices.size(); ++i) {
      const TraceDevice& device = facts_.devices[i];
      file_.write(fmt::format(
          R"({}{{"id": {}, "name": "{}", "totalGlobalMem": {:.0f}, "computeMajor": {}, "computeMinor": {}, "numSms": {}}})",
          i == 0 ? "" : ", ", device.id, json_escaped(device.name), device.total_memory,
          device.compute_major, device.compute_minor, device.multiprocessors));
    }
    file_.write(
        fmt::format("],\n{}\"distributedInfo\": {{{}\"rank\": {}, \"world_size\": {}}},\n"
                    "\"record_shapes\": {},\n\"with_stack\": 0,\n"
                    "\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": {},\n"
                    "\"traceEvents\": [",
                    beyond_limit(),
                    // What several talk through is not known.
                    facts_.world_size > 1 ? "" : "\"backend\": \"none\", ", facts_.rank,
                    facts_.world_size, facts_.shapes ? 1 : 0, facts_.unix_start));
  }

  // What a reader would otherwise miss without knowing; absent where all is there. Before the
  // events, so that a file that was cut off tells it too.
  [[nodiscard]] std::string beyond_limit() const {
    const RecordingGaps& gaps = recording_.gaps;
    std::string counts;
    const auto add = [&](std::string_view key, std::uint64_t count) {
      if (count > 0) counts += fmt::format(R"({}"{}": {})", counts.empty() ? "" : ", ", key, count);
    };
    add("ops_beyond_limit", gaps.ops_beyond_limit);
    add("allocations_beyond_limit", gaps.memory_beyond_limit);
    add("device_beyond_limit", gaps.device_beyond_limit + gaps.device_dropped);
    return counts.empty() ? "" : fmt::format("\"ridgeline\": {{{}}},\n", counts);
  }

  void metadata() {
    const std::string process = std::to_string(facts_.process);
    events_.name_track("process_name", process, "0", R"("name": "ridgeline")");
    events_.name_track("process_labels", process, "0", R"("labels": "CPU")");
    for (const RecordedThread& thread : recording_.threads) {
      events_.name_track("thread_name", process, std::to_string(thread.system_id),
                         fmt::format(R"("name": "thread {}")", thread.system_id));
    }
    name_device_tracks(events_);
  }

  // Before the first step: of events that begin together Perfetto takes the earlier for the outer.
  void all_steps() {
    if (facts_.all_steps.empty() || recording_.steps.empty()) return;
    const auto step = std::ranges::find(recording_.ops, FrameKind::Step, &OpRecord::kind);
    if (step == recording_.ops.end()) return;  // beyond the trace's limit
    const Nanoseconds start = recording_.steps.front().start;
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "user_annotation", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{}}}})",
        json_escaped(facts_.all_steps), events_.track_of(*step), events_.since_start(start),
        micros(recording_.steps_of_device().back().end - start)));
  }

  // Its ops were recorded in another step; calls and the device's work follow.
  void device_step(const RecordedStep& step) {
    const auto other = std::ranges::find(recording_.ops, FrameKind::Step, &OpRecord::kind);
    if (other == recording_.ops.end()) return;
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", {}, "ts": {}, "dur": {}, "args": {{}}}})",
        step.number, events_.track_of(*other), events_.since_start(step.start),
        micros(step.end - step.start)));
  }

  // Under the name that PyTorch's own loaders have in its traces, and as an op: TensorBoard's
  // plugin drops what newer versions make of it, an annotation.
  void data_wait(const DataWait& wait) {
    const auto step = std::ranges::find(recording_.ops, FrameKind::Step, &OpRecord::kind);
    if (step == recording_.ops.end()) return;
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "enumerate(DataLoader)#Loader.__next__", {}, "ts": {}, "dur": {}, "args": {{}}}})",
        events_.track_of(*step), events_.since_start(wait.start), micros(wait.end - wait.start)));
  }

  // PyTorch writes a node of the backward inside its evaluation, and its viewers look for that. We
  // record one interval for both; the node begins a nanosecond later and ends one earlier, so that
  // it is the inner one also for readers that add start and duration up in floating point.
  void evaluation(const OpRecord& op) {
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: {}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{}}}})",
        events_.name(op.name), facts_.process, events_.thread_id(op.thread),
        events_.since_start(op.start), micros(op.end - op.start)));
  }
  // Where its event begins.
  static Nanoseconds start_of(const OpRecord& op) {
    return op.kind == FrameKind::Backward && op.end > op.start ? op.start + 1 : op.start;
  }
  static Nanoseconds end_of(const OpRecord& op) {
    return op.kind == FrameKind::Backward && op.end > op.start + 2 ? op.end - 1 : op.end;
  }

  void frame(const OpRecord& op) {
    if (op.kind == FrameKind::Backward) evaluation(op);
    std::string arguments = fmt::format(R"("External id": {})", op.id);
    if (is_op(op.kind)) {
      arguments += fmt::format(R"(, "Record function id": {})", op.id);
      if (op.sequence != kNoSequence)
        arguments += fmt::format(R"(, "Sequence number": {}, "Fwd thread id": {})", op.sequence,
                                 op.forward_thread);
      arguments += trace_arguments(recording_.names.at(op.shape));
    }
    const bool is_module = op.kind == FrameKind::Module;
    if (is_module) arguments += module_arguments(op);
    if (op.module != 0) arguments += fmt::format(R"(, "Module": "{}")", events_.name(op.module));
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        is_op(op.kind) ? "cpu_op"
        : is_module    ? "python_function"
                       : "user_annotation",
        is_module ? kModulePrefix : std::string_view(), events_.name(op.name), facts_.process,
        events_.thread_id(op.thread), events_.since_start(start_of(op)),
        micros(end_of(op) - start_of(op)), arguments));
  }

  // A module is written as PyTorch writes its own, as a function of Python: it is what readers that
  // have a view of modules look for.
  [[nodiscard]] std::string module_arguments(const OpRecord& op) {
    std::string parent = "null";
    for (const OpRecord* around = events_.frame(op.parent); around != nullptr;
         around = events_.frame(around->parent)) {
      if (around->kind != FrameKind::Module) continue;
      parent = std::to_string(around->id);
      break;
    }
    return fmt::format(R"(, "Python id": {}, "Python parent id": {}, "Python module id": {})",
                       op.id, parent, op.name);
  }

  // From the op that made a node to the node. Of the ops that saw the number the last outermost one
  // made it; of the frames that carry it in the backward the outermost is drawn to.
  void joins() {
    std::map<std::pair<std::uint64_t, std::int64_t>, const OpRecord*> makers;
    for (const OpRecord& op : recording_.ops) {
      if (!is_op(op.kind) || op.sequence < 0) continue;
      const std::uint64_t thread =
          op.forward_thread != 0 ? op.forward_thread : recording_.threads.at(op.thread).torch_id;
      const auto key = std::pair(thread, op.sequence);
      if (op.forward_thread == 0) {
        const OpRecord*& maker = makers[key];
        if (maker == nullptr || op.start >= maker->end) maker = &op;
        continue;
      }
      const auto found = makers.find(key);
      if (found == makers.end()) continue;
      const std::uint64_t id = ++flows_;
      events_.flow('s', "fwdbwd", id, events_.track_of(*found->second),
                   events_.since_start(found->second->start));
      events_.flow('f', "fwdbwd", id, events_.track_of(op), events_.since_start(start_of(op)));
      makers.erase(found);
    }
  }

  void allocation(const MemoryRecord& record) {
    const std::int64_t allocated =
        record.allocated + (record.on_device ? 0 : facts_.host_bytes_before);
    // What the allocator does not tell has no key: readers take a number for one.
    std::string more;
    if (!record.on_device || record.device >= 0)
      more += fmt::format(R"("Device Id": {}, )", record.on_device ? record.device : -1);
    if (record.reserved > 0) more += fmt::format(R"("Total Reserved": {}, )", record.reserved);
    events_.write(fmt::format(
        R"({{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": {}, "tid": {}, "ts": {}, "args": {{"Device Type": {}, {}"Addr": {}, "Bytes": {}, "Total Allocated": {}}}}})",
        facts_.process, events_.thread_id(record.thread), events_.since_start(record.time),
        record.on_device ? 1 : 0, more, record.address, record.bytes, allocated));
  }

  void end() {
    Nanoseconds first = facts_.steady_start;
    Nanoseconds last = first;
    if (!recording_.steps.empty()) {
      first = recording_.steps.front().start;
      last = recording_.steps_of_device().back().end;
    }
    events_.write(fmt::format(
        R"j({{"ph": "X", "cat": "Trace", "ts": {}, "dur": {}, "pid": "Spans", "tid": "Ridgeline", "name": "Ridgeline profile (0)", "args": {{"Op count": {}}}}})j",
        events_.since_start(first), micros(last - first), recording_.ops.size()));
    events_.name_track("process_sort_index", "\"Spans\"", "0", R"("sort_index": 536870912)");
    events_.write(fmt::format(
        R"({{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": {}}})",
        events_.since_start(last)));
    file_.write(fmt::format("\n],\n\"traceName\": \"{}\"\n}}\n", json_escaped(facts_.name)));
  }

  TextFile& file_;
  const Recording& recording_;
  const TraceFacts& facts_;
  TraceEvents events_;
  std::uint64_t flows_ = 0;
};

}  // namespace

void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceFacts& facts) {
  TextFile file(path);
  TraceText(file, recording, facts).write();
  file.commit();
}

}  // namespace ridgeline
