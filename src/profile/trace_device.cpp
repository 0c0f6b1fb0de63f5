#include "profile/trace_device.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "profile/launch_text.h"
#include "profile/stream_lanes.h"
#include "profile/sync_text.h"

namespace ridgeline {
namespace {

// Tracks of devices come after those of the host.
constexpr int kDeviceSortIndex = 5'000'000;

constexpr RuntimeCall kGraphLaunch{"cudaGraphLaunch", 311};
// By DeviceRecordKind.
constexpr std::array kLaunches{RuntimeCall{"cudaLaunchKernel", 211},
                               RuntimeCall{"cudaMemcpyAsync", 41},
                               RuntimeCall{"cudaMemsetAsync", 51}, kGraphLaunch};

using Streams = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // device, stream

Streams streams_of(const Recording& recording) {
  Streams streams;
  for (const DeviceRecord& work : recording.device) streams.emplace(work.device, work.stream);
  return streams;
}

void name_streams(TraceEvents& events) {
  const std::vector<DeviceRecord>& device = events.recording().device;
  const std::vector<std::uint32_t> lanes = stream_lanes(device);
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> tracks;
  for (std::size_t i = 0; i < device.size(); ++i)
    tracks.emplace(device[i].device, device[i].stream, lanes[i]);
  for (const auto& [number, stream, lane] : tracks)
    events.name_track("thread_name", std::to_string(number),
                      std::to_string(track_of_lane(stream, lane)),
                      fmt::format(R"("name": "{}")", name_of_lane(stream, lane)));
}

// Steps are none, although PyTorch draws those too: TensorBoard's plugin takes each for one more
// step of the host.
bool is_annotation(FrameKind kind) { return kind == FrameKind::Phase || kind == FrameKind::Range; }

class DeviceText {
 public:
  explicit DeviceText(TraceEvents& events)
      : events_(events), recording_(events.recording()), facts_(events.facts()) {}

  void write() {
    annotations();
    for (std::size_t i = 0; i < recording_.device.size(); ++i)
      device_work(recording_.device[i], lanes_[i]);
    const auto tracks = sync_tracks(recording_.syncs);
    for (std::size_t i = 0; i < recording_.syncs.size(); ++i) wait(recording_.syncs[i], tracks[i]);
  }

 private:
  // A range of the host's, as the device saw it: from the first to the last of what was launched in
  // it, on each stream. Ranges come before their work and outer ones before those in them, for of
  // events that begin together Perfetto takes the earlier for the outer.
  void annotations() {
    using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // device, stream, range
    std::map<Place, std::pair<Nanoseconds, Nanoseconds>> spans;
    for (std::size_t i = 0; i < recording_.device.size(); ++i) {
      if (lanes_[i] > 0) continue;  // as the track has it, so that ranges do not overlap either
      const DeviceRecord& work = recording_.device[i];
      const OpRecord* op = events_.frame(work.external_id);
      for (; op != nullptr; op = events_.frame(op->parent)) {
        if (!is_annotation(op->kind)) continue;
        const auto [span, fresh] =
            spans.try_emplace({work.device, work.stream, op->id}, work.start, work.end);
        if (fresh) continue;
        span->second.first = std::min(span->second.first, work.start);
        span->second.second = std::max(span->second.second, work.end);
      }
    }
    const Streams streams = streams_of(recording_);
    for (const OpRecord& op : recording_.ops) {
      if (!is_annotation(op.kind)) continue;
      for (const auto& [device, stream] : streams) {
        const auto span = spans.find({device, stream, op.id});
        if (span == spans.end()) continue;
        const auto& [start, end] = span->second;
        events_.write(fmt::format(
            R"({{"ph": "X", "cat": "gpu_user_annotation", "name": "{}", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "args": {{"External id": {}}}}})",
            events_.name(op.name), device, stream, events_.since_start(start), micros(end - start),
            op.id));
      }
    }
  }

  void device_work(const DeviceRecord& work, std::uint32_t lane) {
    // A whole graph has no name of its own there: it is what keeps the device busy.
    constexpr const char* kCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "kernel"};
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
    } else if (work.kind != DeviceRecordKind::Replay) {
      const Nanoseconds took = work.end - work.start;
      arguments += fmt::format(R"(, "bytes": {})", work.bytes);
      if (took > 0)  // bytes a nanosecond are GB/s
        arguments += fmt::format(R"j(, "memory bandwidth (GB/s)": {:.6f})j",
                                 static_cast<double>(work.bytes) / static_cast<double>(took));
    }
    if (work.graph_node != 0) arguments += fmt::format(R"(, "graph node id": {})", work.graph_node);
    if (work.captured != 0) {
      const OpRecord& op = recording_.captured.at(work.captured - 1);
      arguments += fmt::format(R"(, "Captured op": "{}", "Module": "{}")", events_.name(op.name),
                               events_.name(op.module));
    }
    const std::string track =
        fmt::format(R"("pid": {}, "tid": {})", work.device, track_of_lane(work.stream, lane));
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        kCategories[static_cast<std::size_t>(work.kind)], json_escaped(work.name), track,
        events_.since_start(work.start), micros(work.end - work.start), arguments));
    launch_of(work, track);
  }

  // The host's call, inside the op, and the arrow from it: readers join kernels to ops through the
  // call's correlation number alone. One call launches all nodes of a graph.
  void launch_of(const DeviceRecord& work, const std::string& track) {
    const OpRecord* const op = events_.frame(work.external_id);
    if (op == nullptr || work.launch == 0) return;
    if (!launched_.insert(work.correlation).second) return;
    const std::string host = events_.track_of(*op);
    call(work.graph_node != 0 ? kGraphLaunch : kLaunches.at(static_cast<std::size_t>(work.kind)),
         host, work.launch, work.launch_end, work);
    events_.flow('s', "ac2g", work.correlation, host, events_.since_start(work.launch));
    events_.flow('f', "ac2g", work.correlation, track, events_.since_start(work.start));
  }

  // On the host's track; `asked` is what it was for.
  template <class Record>
  void call(const RuntimeCall& call, const std::string& host, Nanoseconds start, Nanoseconds end,
            const Record& asked) {
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{"External id": {}, "cbid": {}, "correlation": {}}}}})",
        call.name, host, events_.since_start(start), micros(end - start), asked.external_id,
        call.number, asked.correlation));
  }

  void wait(const SyncRecord& sync, std::int32_t track_number) {
    const std::string track = fmt::format(R"("pid": {}, "tid": {})", sync.device, track_number);
    const std::string start = events_.since_start(sync.start);
    const std::string took = micros(sync.end - sync.start);
    events_.write(fmt::format(
        R"({{"ph": "X", "cat": "cuda_sync", "name": "{}", {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        name_of(sync.kind), track, start, took, sync_arguments(sync)));
    const OpRecord* const op = events_.frame(sync.external_id);
    if (op == nullptr || !holds_host(sync.kind)) return;
    const std::string host = events_.track_of(*op);
    call(call_of(sync.kind), host, sync.start, sync.end, sync);
    events_.flow('s', "ac2g", sync.correlation, host, start);
    events_.flow('f', "ac2g", sync.correlation, track, start);
  }

  TraceEvents& events_;
  const Recording& recording_;
  const TraceFacts& facts_;
  std::vector<std::uint32_t> lanes_ = stream_lanes(recording_.device);
  std::unordered_set<std::uint32_t> launched_;
};

}  // namespace

void name_device_tracks(TraceEvents& events) {
  const Recording& recording = events.recording();
  const TraceFacts& facts = events.facts();
  const auto tracks = sync_tracks(recording.syncs);
  for (const TraceDevice& device : facts.devices) {
    const std::string id = std::to_string(device.id);
    events.name_track("process_name", id, "0", fmt::format(R"("name": "GPU {}")", id));
    events.name_track(
        "process_sort_index", id, "0",
        fmt::format(R"("sort_index": {})", kDeviceSortIndex + static_cast<int>(device.id)));
  }
  name_streams(events);
  std::set<std::pair<std::uint32_t, std::int32_t>> waits;
  for (std::size_t i = 0; i < recording.syncs.size(); ++i)
    waits.emplace(recording.syncs[i].device, tracks[i]);
  for (const auto& [device, track] : waits)
    events.name_track("thread_name", std::to_string(device), std::to_string(track),
                      R"("name": "waits of the host")");
}

void write_device_events(TraceEvents& events) { DeviceText(events).write(); }

}  // namespace ridgeline
