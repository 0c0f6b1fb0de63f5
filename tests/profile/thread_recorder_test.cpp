#include "profile/thread_recorder.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/recorder.h"

namespace ridgeline {
namespace {

// A thread whose clock the test moves.
class Story {
 public:
  explicit Story(const RecorderLimits& limits = {}, OpDetail detail = OpDetail::All)
      : recorder_(limits, detail) {}

  void enter(FrameStart start) {
    start.time = now;
    start.key = &keys_[depth_++];
    thread_.enter(start);
  }
  void op(const char* name, std::int64_t sequence = kNoSequence) {
    enter({.name = name, .sequence = sequence});
  }
  void module(const char* name) { enter({.kind = FrameKind::Module, .name = name}); }
  void phase(StepPhase phase) {
    enter({.kind = FrameKind::Phase, .name = name_of(phase), .phase = phase});
  }
  void node(const char* name, std::int64_t sequence) {
    enter({.kind = FrameKind::Backward, .name = name, .sequence = sequence, .forward_thread = 1});
  }
  void leave() { thread_.leave(&keys_[--depth_], now); }
  [[nodiscard]] const char* key() const { return &keys_[depth_ - 1]; }
  [[nodiscard]] Recording finish() { return recorder_.finish(now); }
  [[nodiscard]] ThreadRecorder& thread() { return thread_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }

  Nanoseconds now = 1000;

 private:
  Recorder recorder_;
  ThreadRecorder& thread_ = recorder_.join({.system_id = 77, .torch_id = 1});
  std::array<char, 1024> keys_{};
  std::size_t depth_ = 0;
};

const OpTotal& total_of(const Recording& recording, std::string_view name) {
  for (const OpTotal& total : recording.totals) {
    if (recording.name(total.name) == name) return total;
  }
  throw std::out_of_range(std::string(name));
}

std::string module_of(const Recording& recording, std::string_view name) {
  return recording.name(total_of(recording, name).module);
}

Nanoseconds self_sum(const Recording& recording) {
  return std::accumulate(recording.totals.begin(), recording.totals.end(), Nanoseconds{0},
                         [](Nanoseconds sum, const OpTotal& total) { return sum + total.self; });
}

TEST(ThreadRecorderTest, OpsInsideAWholeOpAreAPartOfItUnlessAllAreWanted) {
  for (const OpDetail detail : {OpDetail::WholeOps, OpDetail::All}) {
    Story story({}, detail);
    story.op("aten::linear");
    story.now += 5;
    story.op("aten::t");
    story.op("aten::transpose");
    story.now += 10;
    story.op("aten::as_strided");
    story.now += 20;
    story.leave();
    story.leave();
    story.leave();
    story.op("aten::addmm");
    story.now += 100;
    story.leave();
    story.leave();
    const Recording recording = story.finish();
    const bool all = detail == OpDetail::All;
    EXPECT_EQ(recording.ops.size(), all ? 5 : 3);
    EXPECT_EQ(total_of(recording, "aten::t").total, 30);
    EXPECT_EQ(total_of(recording, "aten::t").self, all ? 0 : 30);
    EXPECT_EQ(total_of(recording, "aten::linear").self, 5);
    EXPECT_EQ(total_of(recording, "aten::addmm").self, 100);
    EXPECT_EQ(self_sum(recording), 135);
    EXPECT_FALSE(recording.gaps.any());
  }
}

TEST(ThreadRecorderTest, ANodeMadeInsideAWholeOpHasItsModule) {
  Story story({}, OpDetail::WholeOps);
  story.module("layers.0");
  story.op("aten::reshape", 5);
  story.op("aten::_unsafe_view", 6);
  story.leave();
  story.leave();
  story.leave();
  story.node("UnsafeViewBackward0", 6);
  story.leave();
  EXPECT_EQ(module_of(story.finish(), "UnsafeViewBackward0"), "layers.0");
}

TEST(ThreadRecorderTest, AFrameThatEndsAroundAWholeOpEndsThatToo) {
  Story story({}, OpDetail::WholeOps);
  story.op("aten::linear");
  const char* const outer = story.key();
  story.op("aten::t");
  story.op("aten::transpose");
  story.now += 7;
  story.thread().leave(outer, story.now);
  EXPECT_EQ(story.thread().depth(), 2) << "only the passed-over op can have ended";
  story.thread().leave(outer, story.now);
  EXPECT_EQ(story.thread().depth(), 0);
}

TEST(ThreadRecorderTest, AFrameKeepsItsTimeLessThatOfTheFramesInside) {
  Story story;
  story.op("outer");
  story.now += 10;
  story.op("inner");
  story.now += 30;
  story.leave();
  story.now += 2;
  story.leave();
  const Recording recording = story.finish();
  EXPECT_EQ(total_of(recording, "outer").total, 42);
  EXPECT_EQ(total_of(recording, "outer").self, 12);
  EXPECT_EQ(total_of(recording, "inner").self, 30);
  ASSERT_EQ(recording.ops.size(), 2);
  EXPECT_EQ(recording.ops[0].start, 1000);
  EXPECT_EQ(recording.ops[0].end, 1042);
  EXPECT_EQ(recording.ops[1].parent, recording.ops[0].id);
  EXPECT_FALSE(recording.gaps.any());
}

TEST(ThreadRecorderTest, SelfTimesAddUpToTheStepWhateverTheNesting) {
  Story story;
  story.enter({.kind = FrameKind::Step, .name = "ProfilerStep#0"});
  for (int i = 0; i < 100; ++i) {
    for (int depth = 0; depth < i % 7; ++depth) {
      story.op(depth % 2 == 0 ? "even" : "odd");
      story.now += 3 + i;
    }
    for (int depth = 0; depth < i % 7; ++depth) story.leave();
    story.now += 1;
  }
  story.leave();
  const Recording recording = story.finish();
  EXPECT_EQ(self_sum(recording), story.now - 1000);
  EXPECT_EQ(total_of(recording, "ProfilerStep#0").total, story.now - 1000);
}

TEST(ThreadRecorderTest, AnOpInsideItselfCountsOnceInItsTotal) {
  Story story;
  story.op("aten::to");
  story.op("aten::to");
  story.now += 5;
  story.leave();
  story.leave();
  const Recording recording = story.finish();
  EXPECT_EQ(total_of(recording, "aten::to").calls, 2);
  EXPECT_EQ(total_of(recording, "aten::to").total, 5);
}

TEST(ThreadRecorderTest, ANodeOfTheBackwardGetsTheModuleOfTheOpThatMadeIt) {
  Story story;
  story.phase(StepPhase::Forward);
  story.module("layers.0");
  story.op("aten::mm", 7);
  story.leave();
  story.op("aten::view", 8);  // sees the next number but makes no node
  story.leave();
  story.leave();
  story.module("layers.1");
  story.op("aten::add", 8);
  story.leave();
  story.leave();
  story.leave();
  story.phase(StepPhase::Backward);
  story.node("AddBackward", 8);
  story.op("aten::neg");
  story.leave();
  story.leave();
  story.node("MmBackward", 7);
  story.leave();
  story.op("AccumulateGrad");  // has no number: goes with the node before it
  story.leave();
  story.leave();
  const Recording recording = story.finish();
  EXPECT_EQ(module_of(recording, "AddBackward"), "layers.1");
  EXPECT_EQ(module_of(recording, "aten::neg"), "layers.1");
  EXPECT_EQ(module_of(recording, "MmBackward"), "layers.0");
  EXPECT_EQ(module_of(recording, "AccumulateGrad"), "layers.0");
  EXPECT_EQ(total_of(recording, "aten::neg").phase, StepPhase::Backward);
  EXPECT_EQ(total_of(recording, "aten::mm").phase, StepPhase::Forward);
}

TEST(ThreadRecorderTest, BeyondTheLimitTotalsGoOnAndTheGapIsCounted) {
  Story story({.ops = 1, .memory = 0});  // rounded up to a chunk
  const auto room = RecordPool<OpRecord>::kChunk;
  for (std::size_t i = 0; i < room + 10; ++i) {
    story.op("op");
    story.now += 1;
    story.leave();
  }
  const Recording recording = story.finish();
  EXPECT_EQ(recording.ops.size(), room);
  EXPECT_EQ(recording.gaps.ops_beyond_limit, 10);
  EXPECT_EQ(total_of(recording, "op").calls, room + 10);
  EXPECT_EQ(total_of(recording, "op").self, static_cast<Nanoseconds>(room + 10));
}

TEST(ThreadRecorderTest, FramesTooDeepAreTheirParentsTime) {
  Story story;
  for (std::size_t i = 0; i < ThreadRecorder::kDeepest + 5; ++i) story.op("deep");
  story.now += 9;
  for (std::size_t i = 0; i < ThreadRecorder::kDeepest + 5; ++i) story.leave();
  EXPECT_EQ(story.thread().depth(), 0);
  const Recording recording = story.finish();
  EXPECT_EQ(recording.gaps.frames_too_deep, 5);
  EXPECT_EQ(self_sum(recording), 9);
}

TEST(ThreadRecorderTest, AFrameBegunElsewhereIsPassedOver) {
  Story story;
  story.op("mine");
  const int stranger = 0;
  story.thread().leave(&stranger, story.now + 5);
  EXPECT_EQ(story.thread().depth(), 1);
  story.now += 1;
  story.leave();
  EXPECT_EQ(total_of(story.finish(), "mine").self, 1);
}

TEST(ThreadRecorderTest, WhatIsOpenAtTheEndIsClosedThereAndCounted) {
  Story story;
  story.op("outer");
  story.op("inner");
  story.now += 4;
  const Recording recording = story.finish();
  EXPECT_EQ(recording.gaps.unfinished, 2);
  for (const OpRecord& op : recording.ops) EXPECT_EQ(op.end, 1004);
}

TEST(ThreadRecorderTest, AResetForgetsWhatWasRecordedAndGivesItsRoomBack) {
  Story story({.ops = 1, .memory = 1});
  const auto fill = [&] {
    for (std::size_t i = 0; i < RecordPool<OpRecord>::kChunk; ++i) {
      story.op("op");
      story.leave();
    }
  };
  fill();
  story.recorder().reset();
  fill();
  const Recording recording = story.finish();
  EXPECT_EQ(recording.ops.size(), RecordPool<OpRecord>::kChunk);
  EXPECT_EQ(total_of(recording, "op").calls, RecordPool<OpRecord>::kChunk);
  EXPECT_FALSE(recording.gaps.any());
}

TEST(ThreadRecorderTest, WhatIsNotToBeKeptLeavesNothing) {
  Story story;
  story.recorder().keep(Keep::Nothing);
  story.op("warm-up");
  story.thread().memory({.bytes = 1});
  story.now += 5;
  story.leave();
  story.recorder().keep(Keep::Everything);
  story.op("kept");
  story.now += 7;
  story.leave();
  const Recording recording = story.finish();
  EXPECT_EQ(recording.ops.size(), 1);
  EXPECT_EQ(recording.totals.size(), 1);
  EXPECT_TRUE(recording.memory.empty());
  EXPECT_EQ(total_of(recording, "kept").self, 7);
}

TEST(ThreadRecorderTest, TotalsOfThreadsThatDoNotStepAreMarked) {
  Story story;
  ThreadRecorder& other = story.recorder().join({.system_id = 78, .torch_id = 2});
  story.enter({.kind = FrameKind::Step, .name = "ProfilerStep#0"});
  story.op("mine");
  const int key = 0;
  other.enter({.name = "theirs", .key = &key, .time = story.now});
  story.now += 5;
  other.leave(&key, story.now);
  story.leave();
  story.leave();
  const Recording recording = story.finish();
  EXPECT_FALSE(total_of(recording, "mine").beside);
  EXPECT_TRUE(total_of(recording, "theirs").beside);
  EXPECT_EQ(recording.ops.back().thread, 1);
  EXPECT_EQ(recording.threads.at(1).system_id, 78);
}

TEST(ThreadRecorderTest, AllocationsKnowTheOpThatMadeThem) {
  Story story;
  story.phase(StepPhase::Forward);
  story.module("fc");
  story.op("aten::empty");
  story.thread().memory({.time = story.now, .address = 1, .bytes = 64, .allocated = 64});
  const Recording recording = story.finish();
  ASSERT_EQ(recording.memory.size(), 1);
  EXPECT_EQ(recording.name(recording.memory[0].op), "aten::empty");
  EXPECT_EQ(recording.name(recording.memory[0].module), "fc");
  EXPECT_EQ(recording.memory[0].phase, StepPhase::Forward);
}

TEST(ThreadRecorderTest, WhenTheFirstAllocationWasLostIsKnown) {
  Story story({.ops = 100, .memory = 0});
  for (int i = 0; i < 3; ++i) {
    story.now += 10;
    story.thread().memory({.time = story.now, .address = 1, .bytes = 64});
  }
  const RecordingGaps gaps = story.finish().gaps;
  EXPECT_EQ(gaps.memory_beyond_limit, 3U);
  EXPECT_EQ(gaps.memory_lost_from, 1010);
}

TEST(ThreadRecorderTest, WhatAGraphCapturesInAStepThatIsThrownAwayBelongsToItsOwnModule) {
  for (const Keep keep : {Keep::Everything, Keep::Nothing}) {
    Story story;
    story.recorder().keep(keep);
    std::vector<std::uint32_t> ids;
    story.phase(StepPhase::Forward);
    for (const char* const module : {"conv1", "conv2"}) {
      story.now += 10;
      story.module(module);
      for (int call = 0; call < 2; ++call) {
        story.now += 10;
        story.op("aten::convolution");
        ids.push_back(story.thread().capture());
        EXPECT_EQ(story.thread().capture(), ids.back()) << "two nodes of one call";
        story.leave();
      }
      story.leave();
    }
    story.leave();
    const Recording recording = story.finish();
    ASSERT_EQ(ids.size(), 4);
    std::vector<std::string> modules;
    for (const std::uint32_t id : ids)
      modules.push_back(recording.name(recording.captured.at(id - 1).module));
    EXPECT_THAT(modules, ::testing::ElementsAre("conv1", "conv1", "conv2", "conv2"));
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_EQ(recording.captured.at(ids[0] - 1).start, 0);
  }
}

}  // namespace
}  // namespace ridgeline
