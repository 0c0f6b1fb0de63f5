#include "profile/frame_memory.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

// Two ops of one name, one inside another, and one that follows in the same nanosecond.
Recording two_ops() {
  Recording recording;
  recording.names = {"", "aten::conv", "aten::empty"};
  const auto frame = [&](NameId name, std::uint32_t id, Nanoseconds start, Nanoseconds end) {
    OpRecord op{.start = start, .end = end};
    op.name = name;
    op.id = id;
    op.parent = id == 2 ? 1 : 0;
    recording.ops.push_back(op);
  };
  frame(1, 1, 100, 200);
  frame(2, 2, 120, 150);
  frame(2, 3, 200, 260);
  return recording;
}

MemoryRecord change(Nanoseconds time, std::int64_t bytes, NameId op) {
  MemoryRecord record{.time = time, .bytes = bytes};
  record.op = op;
  return record;
}

const FrameMemory& memory_of(const std::vector<FrameMemory>& all, std::uint32_t id) {
  for (const FrameMemory& memory : all)
    if (memory.frame->id == id) return memory;
  throw std::out_of_range("no such frame");
}

TEST(FrameMemoryTest, TheInnermostFrameHasWhatWasAllocatedAndFreedInIt) {
  Recording recording = two_ops();
  recording.memory = {change(130, 100, 2),  change(140, -30, 2), change(160, 7, 1),
                      change(200, -100, 1), change(250, 9, 2),   change(300, 1000, 0)};
  const auto memory = frame_memory(recording);
  EXPECT_EQ(memory.size(), 3U) << "what no frame was open for is nobody's";
  EXPECT_EQ(memory_of(memory, 2).self.allocated, 100);
  EXPECT_EQ(memory_of(memory, 2).self.net, 70);
  EXPECT_EQ(memory_of(memory, 1).self.allocated, 7);
  EXPECT_EQ(memory_of(memory, 1).self.net, -93) << "also what others had allocated";
  EXPECT_EQ(memory_of(memory, 3).self.net, 9);
}

TEST(FrameMemoryTest, FramesAroundHaveItTooAndANameOnce) {
  Recording recording = two_ops();
  recording.memory = {change(130, 100, 2), change(140, -30, 2), change(160, 7, 1)};
  EXPECT_EQ(memory_of(frame_memory(recording), 1).total.allocated, 107);
  EXPECT_EQ(memory_of(frame_memory(recording), 1).total.net, 77);
  EXPECT_EQ(memory_of(frame_memory(recording), 2).total.net, 70);
  recording.ops[1].outermost = false;
  EXPECT_EQ(memory_of(frame_memory(recording), 2).total.net, 0);
}

TEST(FrameMemoryTest, WhereADeviceWasUsedItsMemoryAloneCounts) {
  Recording recording = two_ops();
  recording.memory = {change(130, 100, 2), change(160, 7, 1)};
  recording.memory[1].on_device = true;
  const auto memory = frame_memory(recording);
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0].self.allocated, 7);
}

TEST(FrameMemoryTest, APartOfTheRecordsIsNoAnswer) {
  Recording recording = two_ops();
  recording.memory = {change(130, 100, 2)};
  recording.gaps.memory_beyond_limit = 1;
  EXPECT_TRUE(frame_memory(recording).empty());
}

}  // namespace
}  // namespace ridgeline
