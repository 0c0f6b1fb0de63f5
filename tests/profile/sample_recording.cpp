#include "profile/sample_recording.h"

#include <array>
#include <functional>
#include <string>

#include "profile/range_name.h"
#include "profile/recorder.h"

namespace ridgeline::testing {
namespace {

class Script {
 public:
  void frame(FrameStart start, Nanoseconds before, const std::function<void()>& inside,
             Nanoseconds after) {
    start.time = now_;
    const void* const key = &keys_.at(depth_++);
    start.key = key;
    thread_.enter(start);
    now_ += before;
    inside();
    now_ += after;
    --depth_;
    thread_.leave(key, now_);
  }
  void op(const char* name, Nanoseconds time, std::int64_t sequence = kNoSequence,
          const char* shape = "") {
    frame(
        {.name = name, .shape = shape, .sequence = sequence}, time, [] {}, 0);
  }
  void step(std::int64_t number) {
    const Nanoseconds start = now_;
    const std::string name = "ProfilerStep#" + std::to_string(number);
    frame(
        {.kind = FrameKind::Step, .name = name}, 100, [&] { phases(10 * number); }, 50);
    recorder_.step_done({.number = number, .start = start, .end = now_});
    now_ += 500;
  }
  [[nodiscard]] Recording finish() { return recorder_.finish(now_); }

 private:
  void phase(StepPhase phase, const std::function<void()>& inside) {
    frame({.kind = FrameKind::Phase, .name = range_name(phase), .phase = phase}, 10, inside, 10);
  }
  void module(const char* name, const std::function<void()>& inside) {
    frame({.kind = FrameKind::Module, .name = name}, 5, inside, 5);
  }
  void node(const char* name, std::int64_t sequence, Nanoseconds time) {
    frame(
        {.kind = FrameKind::Backward, .name = name, .sequence = sequence, .forward_thread = 1}, 20,
        [&] { op("aten::mm", time); }, 5);
  }
  void phases(std::int64_t sequence) {
    phase(StepPhase::Forward, [&] {
      module("layers.0", [&] {
        frame(
            {.name = "aten::linear", .shape = "[[2,4],[8,4]]\n[\"Float\",\"Float\"]"}, 100,
            [&] { op("aten::mm", 2000, sequence); }, 50);
      });
      module("layers.1", [&] { op("aten::relu", 300, sequence + 1); });
    });
    phase(StepPhase::Backward, [&] {
      node("ReluBackward0", sequence + 1, 400);
      node("MmBackward0", sequence, 4000);
      op("AccumulateGrad", 70);
    });
    phase(StepPhase::Optimizer, [&] { op("aten::_fused_adamw_", 900); });
    thread_.memory({.time = now_, .address = 4096, .bytes = 64, .allocated = 64});
    thread_.memory({.time = now_ + 1, .address = 4096, .bytes = -64, .allocated = 0});
  }

  Recorder recorder_{{.ops = 10'000, .memory = 1000}};
  ThreadRecorder& thread_ = recorder_.join({.system_id = 4711, .torch_id = 1});
  std::array<char, 64> keys_{};
  std::size_t depth_ = 0;
  Nanoseconds now_ = kSampleStart;
};

}  // namespace

Recording sample_recording(WithDevice device) {
  Script script;
  script.step(0);
  script.step(1);
  Recording recording = script.finish();
  if (device == WithDevice::No) return recording;
  for (const OpRecord& op : recording.ops) {
    if (recording.name(op.name) != "aten::mm") continue;
    recording.device.push_back({.name = "gemm_kernel<float>",
                                .start = op.start + 1000,
                                .end = op.start + 1300,
                                .external_id = op.id,
                                .correlation = op.id + 100,
                                .context = 1,
                                .stream = 7,
                                .grid = {4, 2, 1},
                                .block = {128, 1, 1},
                                .registers = 64,
                                .launch = op.start + 10,
                                .launch_end = op.start + 60});
  }
  recording.device.push_back({.kind = DeviceRecordKind::Copy,
                              .name = "Memcpy HtoD (Pinned -> Device)",
                              .start = kSampleStart + 10,
                              .end = kSampleStart + 110,
                              .external_id = 0,
                              .correlation = 9,
                              .context = 1,
                              .stream = 7,
                              .bytes = 1000});
  return recording;
}

Recording sample_recording_apart() {
  Recording recording = sample_recording(WithDevice::Yes);
  for (const RecordedStep& step : recording.steps)
    recording.device_steps.push_back({.number = step.number + 10,
                                      .start = step.start + kSampleApart,
                                      .end = step.end + kSampleApart});
  for (DeviceRecord& work : recording.device) {
    work.start += kSampleApart;
    work.end += kSampleApart;
    if (work.launch == 0) continue;
    work.launch += kSampleApart;
    work.launch_end += kSampleApart;
  }
  return recording;
}

}  // namespace ridgeline::testing
