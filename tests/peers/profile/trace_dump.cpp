#include <cstdio>
#include <exception>
#include <string_view>

#include "profile/sample_recording.h"
#include "profile/trace_writer.h"

namespace {

using ridgeline::Nanoseconds;

// The sample of the unit tests with every nanosecond made a microsecond: readers of traces round.
Nanoseconds stretched(Nanoseconds time) {
  return time == 0 ? 0 : (time - ridgeline::testing::kSampleStart) * 1000;
}

}  // namespace

// A wait for the stream across each kernel.
void add_waits(ridgeline::Recording& recording) {
  for (const ridgeline::DeviceRecord& work : recording.device) {
    if (work.external_id == 0) continue;
    recording.syncs.push_back({.kind = ridgeline::SyncKind::Stream,
                               .start = work.start - 100,
                               .end = work.end + 50,
                               .external_id = work.external_id,
                               .correlation = work.correlation + 1000,
                               .context = work.context,
                               .stream = work.stream});
  }
}

// Writes a trace with kernels and a copy, which a machine without a GPU cannot record; with "waits"
// also the host's waits for them, with "apart" in steps of their own.
int main(int argc, char** argv) {
  using namespace ridgeline;
  if (argc != 2 && argc != 3) return 2;
  try {
    const bool apart = argc == 3 && std::string_view(argv[2]) == "apart";
    Recording recording = apart ? testing::sample_recording_apart()
                                : testing::sample_recording(testing::WithDevice::Yes);
    if (argc == 3 && std::string_view(argv[2]) == "waits") add_waits(recording);
    for (OpRecord& op : recording.ops) {
      op.start = stretched(op.start);
      op.end = stretched(op.end);
    }
    for (RecordedStep& step : recording.steps) {
      step.start = stretched(step.start);
      step.end = stretched(step.end);
      recording.data_waits.push_back({.start = step.start + 20'000, .end = step.start + 70'000});
    }
    for (RecordedStep& step : recording.device_steps) {
      step.start = stretched(step.start);
      step.end = stretched(step.end);
    }
    for (MemoryRecord& record : recording.memory) record.time = stretched(record.time);
    for (DeviceRecord& work : recording.device) {
      work.start = stretched(work.start);
      work.end = stretched(work.end);
      work.launch = stretched(work.launch);
      work.launch_end = stretched(work.launch_end);
    }
    for (SyncRecord& sync : recording.syncs) {
      sync.start = stretched(sync.start);
      sync.end = stretched(sync.end);
    }
    write_trace(argv[1], recording,
                {.process = 1234,
                 .steady_start = 0,
                 .unix_start = 1'700'000'000'000'000'000,
                 .shapes = true,
                 .all_steps = "gpu_training",
                 .devices = {{.id = 0,
                              .name = "GPU",
                              .total_memory = 1e9,
                              .compute_major = 9,
                              .multiprocessors = 132}}});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
