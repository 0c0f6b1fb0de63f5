#include "profile/block_recorder.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(BlockRecorderTest, NamesAreKeptInTheirOrder) {
  BlockRecorder recorder;
  recorder.name_block({.address = 1, .bytes = 10, .kind = MemoryKind::Parameter});
  recorder.name_block({.address = 2, .bytes = 20, .kind = MemoryKind::Input, .on_device = true});
  Recording recording;
  recorder.collect(recording);
  ASSERT_EQ(recording.blocks.size(), 2);
  EXPECT_EQ(recording.blocks[0].block.address, 1);
  EXPECT_EQ(recording.blocks[1].block.kind, MemoryKind::Input);
  EXPECT_TRUE(recording.blocks[1].block.on_device);
  EXPECT_LE(recording.blocks[0].time, recording.blocks[1].time);
  EXPECT_EQ(recording.gaps.memory_beyond_limit, 0);
}

TEST(BlockRecorderTest, BeyondTheLimitTheyAreCounted) {
  BlockRecorder recorder(2);
  for (std::uint64_t i = 0; i < 5; ++i) recorder.name_block({.address = i, .bytes = 1});
  Recording recording;
  recorder.collect(recording);
  EXPECT_EQ(recording.blocks.size(), 2);
  EXPECT_EQ(recording.gaps.memory_beyond_limit, 3);
  EXPECT_GE(recording.gaps.memory_lost_from, recording.blocks.back().time);
}

TEST(BlockRecorderTest, AResetForgetsThem) {
  BlockRecorder recorder(1);
  recorder.name_block({.address = 1, .bytes = 1});
  recorder.name_block({.address = 2, .bytes = 1});
  recorder.reset();
  recorder.name_block({.address = 3, .bytes = 1});
  Recording recording;
  recorder.collect(recording);
  ASSERT_EQ(recording.blocks.size(), 1);
  EXPECT_EQ(recording.blocks[0].block.address, 3);
  EXPECT_EQ(recording.gaps.memory_beyond_limit, 0);
}

}  // namespace
}  // namespace ridgeline
