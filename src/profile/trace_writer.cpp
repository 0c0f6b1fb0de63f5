#include "profile/trace_writer.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "profile/launch_text.h"
#include "profile/shape_text.h"
#include "profile/sync_text.h"
#include "profile/text_file.h"

namespace ridgeline {
namespace {

// Tracks of devices come after those of the host.
constexpr int kDeviceSortIndex = 5'000'000;
constexpr const char* kModulePrefix = "nn.Module: ";

// Microseconds with three decimals, exact: what is a nanosecond stays one.
std::string micros(Nanoseconds time) {
  const Nanoseconds size = time < 0 ? -time : time;
  return fmt::format("{}{}.{:03}", time < 0 ? "-" : "", size / 1000, size % 1000);
}

class TraceText {
 public:
  TraceText(TextFile& file, const Recording& recording, const TraceFacts& facts)
      : file_(file),
        recording_(recording),
        facts_(facts),
        sync_tracks_(sync_tracks(recording.syncs)) {
    for (const std::string& name : recording.names) names_.push_back(json_escaped(name));
  }

  void write() {
    header();
    metadata();
    all_steps();
    for (const OpRecord& op : recording_.ops) frame(op);
    joins();
    for (const DeviceRecord& record : recording_.device) device_work(record);
    for (std::size_t i = 0; i < recording_.syncs.size(); ++i)
      wait(recording_.syncs[i], sync_tracks_[i]);
    for (const MemoryRecord& record : recording_.memory) allocation(record);
    end();
  }

 private:
  [[nodiscard]] std::string since_start(Nanoseconds time) const {
    return micros(time - facts_.steady_start);
  }
  [[nodiscard]] std::uint64_t thread_id(std::uint16_t place) const {
    return recording_.threads.at(place).system_id;
  }

  void event(const std::string& text) {
    file_.write(first_ ? "\n" : ",\n");
    first_ = false;
    file_.write(text);
  }

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
        fmt::format("],\n\"distributedInfo\": {{\"backend\": \"none\", \"rank\": 0, "
                    "\"world_size\": 1}},\n\"record_shapes\": {},\n\"with_stack\": 0,\n"
                    "\"displayTimeUnit\": \"ms\",\n\"baseTimeNanoseconds\": {},\n"
                    "\"traceEvents\": [",
                    facts_.shapes ? 1 : 0, facts_.unix_start));
  }

  void name_track(const char* what, const std::string& pid, const std::string& tid,
                  const std::string& arguments) {
    event(
        fmt::format(R"({{"name": "{}", "ph": "M", "ts": 0, "pid": {}, "tid": {}, "args": {{{}}}}})",
                    what, pid, tid, arguments));
  }

  void metadata() {
    const std::string process = std::to_string(facts_.process);
    name_track("process_name", process, "0", R"("name": "ridgeline")");
    name_track("process_labels", process, "0", R"("labels": "CPU")");
    for (const RecordedThread& thread : recording_.threads) {
      name_track("thread_name", process, std::to_string(thread.system_id),
                 fmt::format(R"("name": "thread {}")", thread.system_id));
    }
    for (const TraceDevice& device : facts_.devices) {
      const std::string id = std::to_string(device.id);
      name_track("process_name", id, "0", fmt::format(R"("name": "GPU {}")", id));
      name_track(
          "process_sort_index", id, "0",
          fmt::format(R"("sort_index": {})", kDeviceSortIndex + static_cast<int>(device.id)));
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
    for (const DeviceRecord& work : recording_.device) streams.emplace(work.device, work.stream);
    for (const auto& [device, stream] : streams) {
      name_track("thread_name", std::to_string(device), std::to_string(stream),
                 fmt::format(R"("name": "stream {}")", stream));
    }
    std::set<std::pair<std::uint32_t, std::int32_t>> waits;
    for (std::size_t i = 0; i < recording_.syncs.size(); ++i)
      waits.emplace(recording_.syncs[i].device, sync_tracks_[i]);
    for (const auto& [device, track] : waits)
      name_track("thread_name", std::to_string(device), std::to_string(track),
                 R"("name": "waits of the host")");
  }

  // Before the first step: of events that begin together Perfetto takes the earlier for the outer.
  void all_steps() {
    if (facts_.all_steps.empty() || recording_.steps.empty()) return;
    const auto step = std::ranges::find(recording_.ops, FrameKind::Step, &OpRecord::kind);
    if (step == recording_.ops.end()) return;  // beyond the trace's limit
    const Nanoseconds start = recording_.steps.front().start;
    event(fmt::format(
        R"({{"ph": "X", "cat": "user_annotation", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{}}}})",
        json_escaped(facts_.all_steps), track_of(*step), since_start(start),
        micros(recording_.steps.back().end - start)));
  }

  // PyTorch writes a node of the backward inside its evaluation, and its viewers look for that. We
  // record one interval for both; the node begins a nanosecond later and ends one earlier, so that
  // it is the inner one also for readers that add start and duration up in floating point.
  void evaluation(const OpRecord& op) {
    event(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "autograd::engine::evaluate_function: {}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{}}}})",
        names_[op.name], facts_.process, thread_id(op.thread), since_start(op.start),
        micros(op.end - op.start)));
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
    if (op.module != 0) arguments += fmt::format(R"(, "Module": "{}")", names_[op.module]);
    event(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        is_op(op.kind) ? "cpu_op"
        : is_module    ? "python_function"
                       : "user_annotation",
        is_module ? kModulePrefix : "", names_[op.name], facts_.process, thread_id(op.thread),
        since_start(start_of(op)), micros(end_of(op) - start_of(op)), arguments));
  }

  // A module is written as PyTorch writes its own, as a function of Python: it is what readers that
  // have a view of modules look for.
  [[nodiscard]] std::string module_arguments(const OpRecord& op) {
    std::string parent = "null";
    for (auto around = by_id().find(op.parent); around != by_id().end();
         around = by_id().find(around->second->parent)) {
      if (around->second->kind != FrameKind::Module) continue;
      parent = std::to_string(around->second->id);
      break;
    }
    return fmt::format(R"(, "Python id": {}, "Python parent id": {}, "Python module id": {})",
                       op.id, parent, op.name);
  }

  void flow(char phase, const char* name, std::uint64_t id, const std::string& track,
            const std::string& time) {
    event(fmt::format(R"({{"ph": "{}", "id": {}, {}, "ts": {}, "cat": "{}", "name": "{}"{}}})",
                      phase, id, track, time, name, name, phase == 'f' ? R"(, "bp": "e")" : ""));
  }

  [[nodiscard]] std::string track_of(const OpRecord& op) const {
    return fmt::format(R"("pid": {}, "tid": {})", facts_.process, thread_id(op.thread));
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
      flow('s', "fwdbwd", id, track_of(*found->second), since_start(found->second->start));
      flow('f', "fwdbwd", id, track_of(op), since_start(start_of(op)));
      makers.erase(found);
    }
  }

  void device_work(const DeviceRecord& work) {
    constexpr const char* kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset"};
    std::string arguments = fmt::format(
        R"("External id": {}, "device": {}, "context": {}, "stream": {}, "correlation": {})",
        work.external_id, work.device, work.context, work.stream, work.correlation);
    if (work.kind == DeviceRecordKind::Kernel) {
      arguments += fmt::format(
          R"(, "registers per thread": {}, "shared memory": {}, "grid": [{}, {}, {}], "block": [{}, {}, {}])",
          work.registers, work.shared_memory, work.grid[0], work.grid[1], work.grid[2],
          work.block[0], work.block[1], work.block[2]);
      const auto device = std::ranges::find(facts_.devices, work.device, &TraceDevice::id);
      if (device != facts_.devices.end()) arguments += launch_arguments(work, *device);
    } else {
      const Nanoseconds took = work.end - work.start;
      arguments += fmt::format(R"(, "bytes": {})", work.bytes);
      if (took > 0)  // bytes a nanosecond are GB/s
        arguments += fmt::format(R"j(, "memory bandwidth (GB/s)": {:.6f})j",
                                 static_cast<double>(work.bytes) / static_cast<double>(took));
    }
    if (work.graph_node != 0) arguments += fmt::format(R"(, "graph node id": {})", work.graph_node);
    if (work.captured != 0) {
      const OpRecord& op = recording_.captured.at(work.captured - 1);
      arguments += fmt::format(R"(, "Captured op": "{}", "Module": "{}")", names_[op.name],
                               names_[op.module]);
    }
    const std::string track = fmt::format(R"("pid": {}, "tid": {})", work.device, work.stream);
    event(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        kCategories[static_cast<std::size_t>(work.kind)], json_escaped(work.name), track,
        since_start(work.start), micros(work.end - work.start), arguments));
    launch_of(work, track);
  }

  // The host's call, inside the op, and the arrow from it: readers join kernels to ops through the
  // call's correlation number alone. One call launches all nodes of a graph.
  void launch_of(const DeviceRecord& work, const std::string& track) {
    constexpr const char* kCalls[] = {"cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"};
    const auto found = by_id().find(work.external_id);
    if (found == by_id().end() || work.launch == 0) return;
    if (!launched_.insert(work.correlation).second) return;
    const std::string host = track_of(*found->second);
    event(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{"External id": {}, "correlation": {}}}}})",
        work.graph_node != 0 ? "cudaGraphLaunch" : kCalls[static_cast<std::size_t>(work.kind)],
        host, since_start(work.launch), micros(work.launch_end - work.launch), work.external_id,
        work.correlation));
    flow('s', "ac2g", work.correlation, host, since_start(work.launch));
    flow('f', "ac2g", work.correlation, track, since_start(work.start));
  }

  void wait(const SyncRecord& sync, std::int32_t track_number) {
    const std::string track = fmt::format(R"("pid": {}, "tid": {})", sync.device, track_number);
    const std::string start = since_start(sync.start);
    const std::string took = micros(sync.end - sync.start);
    event(fmt::format(
        R"({{"ph": "X", "cat": "cuda_sync", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        name_of(sync.kind), track, start, took, sync_arguments(sync)));
    const auto found = by_id().find(sync.external_id);
    if (found == by_id().end() || !holds_host(sync.kind)) return;
    const std::string host = track_of(*found->second);
    event(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{"External id": {}, "correlation": {}}}}})",
        call_of(sync.kind), host, start, took, sync.external_id, sync.correlation));
    flow('s', "ac2g", sync.correlation, host, start);
    flow('f', "ac2g", sync.correlation, track, start);
  }

  [[nodiscard]] const std::unordered_map<std::uint32_t, const OpRecord*>& by_id() {
    if (by_id_.empty()) {
      for (const OpRecord& op : recording_.ops) by_id_.emplace(op.id, &op);
    }
    return by_id_;
  }

  void allocation(const MemoryRecord& record) {
    event(fmt::format(
        R"({{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": {}, "tid": {}, "ts": {}, "args": {{"Device Type": {}, "Device Id": {}, "Addr": {}, "Bytes": {}, "Total Allocated": {}, "Total Reserved": {}}}}})",
        facts_.process, thread_id(record.thread), since_start(record.time),
        record.on_device ? 1 : 0, record.on_device ? 0 : -1, record.address, record.bytes,
        record.allocated, record.on_device ? record.allocated : 0));
  }

  void end() {
    Nanoseconds first = facts_.steady_start;
    Nanoseconds last = first;
    if (!recording_.steps.empty()) {
      first = recording_.steps.front().start;
      last = recording_.steps.back().end;
    }
    event(fmt::format(
        R"j({{"ph": "X", "cat": "Trace", "ts": {}, "dur": {}, "pid": "Spans", "tid": "Ridgeline", "name": "Ridgeline profile (0)", "args": {{"Op count": {}}}}})j",
        since_start(first), micros(last - first), recording_.ops.size()));
    name_track("process_sort_index", "\"Spans\"", "0", R"("sort_index": 536870912)");
    event(fmt::format(
        R"({{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": {}}})",
        since_start(last)));
    file_.write(fmt::format("\n],\n\"traceName\": \"{}\"\n}}\n", json_escaped(facts_.name)));
  }

  TextFile& file_;
  const Recording& recording_;
  const TraceFacts& facts_;
  std::vector<std::int32_t> sync_tracks_;
  std::vector<std::string> names_;
  std::unordered_map<std::uint32_t, const OpRecord*> by_id_;
  std::unordered_set<std::uint32_t> launched_;
  std::uint64_t flows_ = 0;
  bool first_ = true;
};

}  // namespace

void write_trace(const std::filesystem::path& path, const Recording& recording,
                 const TraceFacts& facts) {
  TextFile file(path);
  TraceText(file, recording, facts).write();
  file.commit();
}

}  // namespace ridgeline
