#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/plugin.h"
#include "profile/device_observer.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

class CudaReplayTest : public PluginTest {
 protected:
  static std::unique_ptr<OpObserver> observer(std::size_t most_records = 1000) {
    std::unique_ptr<OpObserver> host(ridgeline_make_op_observer({}));
    std::unique_ptr<DeviceObserver> device(
        plugin().make_replay_observer({.hooks = host->hooks(), .most_records = most_records}));
    return watch_both(std::move(host), std::move(device),
                      [](const Error& reason) { ADD_FAILURE() << reason.what(); });
  }
  // Long enough that clocks a few microseconds apart do not matter.
  std::unique_ptr<CapturedWork> long_work() {
    const at::Tensor a = at::rand({4096, 4096}, at::TensorOptions(at::kCUDA));
    kept_.push_back(a);
    kept_.push_back(at::mm(a, a));
    return backend().capture([&] { kept_.back() = at::mm(at::mm(a, a), a); });
  }
  static void replay(OpObserver& watched, CapturedWork& graph, int count) {
    for (int i = 0; i < count; ++i) {
      const WatchedStep step(watched, i, Keep::Everything);
      graph.replay();
      backend().synchronize();
    }
  }

 private:
  std::vector<at::Tensor> kept_;  // that the graphs read and write
};

TEST_F(CudaReplayTest, AReplayIsOneRecordInsideItsStep) {
  const auto graph = long_work();
  const auto other = long_work();
  const auto watched = observer();
  replay(*watched, *graph, 3);
  replay(*watched, *other, 1);
  const Recording recording = watched->finish();
  ASSERT_EQ(recording.device.size(), 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const DeviceRecord& work = recording.device[i];
    const RecordedStep& step = recording.steps[i];
    EXPECT_EQ(work.kind, DeviceRecordKind::Replay);
    EXPECT_EQ(work.name, i < 3 ? "CUDA graph 1" : "CUDA graph 2");
    EXPECT_GE(work.launch, step.start);
    EXPECT_GE(work.start, work.launch);
    constexpr Nanoseconds kClocksApart = 50'000;
    EXPECT_LE(work.end, step.end + kClocksApart);
    EXPECT_GT(work.end - work.start, (step.end - step.start) / 4) << "most of a step is its work";
    const auto frame = std::ranges::find(recording.ops, work.external_id, &OpRecord::id);
    ASSERT_NE(frame, recording.ops.end());
    EXPECT_EQ(frame->kind, FrameKind::Step);
  }
}

TEST_F(CudaReplayTest, PausedItIsAwayAndSeesNothing) {
  const auto graph = long_work();
  const auto watched = observer();
  replay(*watched, *graph, 1);
  watched->pause();
  EXPECT_TRUE(watched->is_away());
  graph->replay();
  backend().synchronize();
  replay(*watched, *graph, 1);
  EXPECT_EQ(watched->finish().device.size(), 2);
  watched->reset();
  replay(*watched, *graph, 2);
  const Recording again = watched->finish();
  ASSERT_EQ(again.device.size(), 2);
  EXPECT_EQ(again.device[0].name, "CUDA graph 1") << "the same graph as before";
}

TEST_F(CudaReplayTest, WhatHasNoRoomIsCounted) {
  const auto graph = long_work();
  const auto watched = observer(/*most_records=*/2);
  replay(*watched, *graph, 3);
  const Recording recording = watched->finish();
  EXPECT_EQ(recording.device.size(), 2);
  EXPECT_EQ(recording.gaps.device_beyond_limit, 1);
}

}  // namespace
}  // namespace ridgeline
