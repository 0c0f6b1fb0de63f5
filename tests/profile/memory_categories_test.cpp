#include "profile/memory_categories.h"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

#include "profile/made_memory.h"

namespace ridgeline {
namespace {

using testing::MadeMemory;

std::string_view kind_at(const BlockLives& lives, std::uint64_t address) {
  const auto found = std::ranges::find(lives.lives, address, &BlockLife::address);
  return found == lives.lives.end() ? "no such block" : name_of(found->kind);
}

BlockLives classify(MadeMemory& made, const ClassifyOptions& options = {}) {
  return classify_memory(made.finish(), options);
}

TEST(MemoryCategoriesTest, WhatAForwardLeavesForTheBackwardIsAnActivation) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100);
  made.phase(StepPhase::Backward).release(1, 100);
  EXPECT_EQ(kind_at(classify(made), 1), "activations");
}

TEST(MemoryCategoriesTest, WhatOnePhaseAllocatesAndFreesIsATemporary) {
  for (const StepPhase phase : {StepPhase::Forward, StepPhase::Backward, StepPhase::Optimizer}) {
    MadeMemory made;
    made.step().phase(phase).allocate(1, 100).release(1, 100);
    EXPECT_EQ(kind_at(classify(made), 1), "temporaries") << name_of(phase);
  }
}

TEST(MemoryCategoriesTest, WithoutPhasesALifetimeProvesNothing) {
  MadeMemory made;
  made.step().phase(StepPhase::None).allocate(1, 100).release(1, 100);
  EXPECT_EQ(kind_at(classify(made), 1), "other");
}

TEST(MemoryCategoriesTest, TwoForwardsOfAStepAreNotOnePhase) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100);
  made.phase(StepPhase::Backward).allocate(2, 10).release(2, 10);
  made.phase(StepPhase::Forward).release(1, 100);
  EXPECT_EQ(kind_at(classify(made), 1), "activations");
}

TEST(MemoryCategoriesTest, AGradientIsWhatTheStepSaysIsOne) {
  MadeMemory made;
  made.step()
      .phase(StepPhase::Backward)
      .allocate(1, 100)
      .allocate(2, 100)
      .name(1, 100, MemoryKind::Gradient);
  made.phase(StepPhase::Optimizer).release(1, 100).release(2, 100);
  const BlockLives lives = classify(made);
  EXPECT_EQ(kind_at(lives, 1), "gradients");
  EXPECT_EQ(kind_at(lives, 2), "other") << "outlived the backward and nobody knows why";
}

TEST(MemoryCategoriesTest, ANameCountsForTheBlockThatLivesThenAndNotForTheNextAtItsAddress) {
  MadeMemory made;
  made.step().phase(StepPhase::Backward).allocate(1, 100).name(1, 100, MemoryKind::Gradient);
  made.phase(StepPhase::Optimizer).release(1, 100).allocate(1, 100).release(1, 100);
  const BlockLives lives = classify(made);
  ASSERT_EQ(lives.lives.size(), 2);
  EXPECT_EQ(lives.lives[0].kind, MemoryKind::Gradient);
  EXPECT_EQ(lives.lives[1].kind, MemoryKind::Temporary);
}

TEST(MemoryCategoriesTest, NamedBlocksThatNobodySawAllocatedWereThereWhenTheStepBegan) {
  MadeMemory made;
  made.step();
  const Nanoseconds start = made.now();
  made.name(1, 100, MemoryKind::Parameter).name(2, 200, MemoryKind::OptimizerState);
  made.allocate(3, 10).release(3, 10);
  const BlockLives lives = classify(made);
  ASSERT_EQ(lives.lives.size(), 3);
  EXPECT_EQ(lives.lives[0].begin, start);
  EXPECT_EQ(lives.lives[0].end, kStillAlive);
  EXPECT_EQ(lives.lives[1].bytes, 200);
}

TEST(MemoryCategoriesTest, AStorageThatIsNamedTwiceCountsOnceUnderItsFirstName) {
  MadeMemory made;
  made.step().name(1, 100, MemoryKind::Parameter).name(1, 100, MemoryKind::Buffer);
  made.step().name(1, 100, MemoryKind::Parameter);
  const BlockLives lives = classify(made);
  ASSERT_EQ(lives.lives.size(), 1);
  EXPECT_EQ(lives.lives[0].kind, MemoryKind::Parameter);
}

TEST(MemoryCategoriesTest, WhatALaterStepNoLongerNamesWentBetweenTheSteps) {
  MadeMemory made;
  made.step().name(1, 100, MemoryKind::Input).name(2, 50, MemoryKind::Parameter);
  made.step().name(3, 100, MemoryKind::Input).name(2, 50, MemoryKind::Parameter);
  const Recording recording = made.finish();
  const BlockLives lives = classify_memory(recording);
  ASSERT_EQ(lives.lives.size(), 3);
  EXPECT_EQ(lives.lives[0].end, recording.steps[0].end);
  EXPECT_EQ(lives.lives[1].end, kStillAlive);
  EXPECT_EQ(lives.lives[2].begin, recording.steps[1].start);
}

TEST(MemoryCategoriesTest, ABlockFreedThatWasNeverAllocatedHereExistedBefore) {
  MadeMemory made;
  made.step().release(1, 100);
  const BlockLives lives = classify(made);
  ASSERT_EQ(lives.lives.size(), 1);
  EXPECT_EQ(lives.lives[0].bytes, 100);
  EXPECT_EQ(lives.lives[0].begin_record, kNoRecord);
  EXPECT_EQ(lives.lives[0].kind, MemoryKind::Other);
}

TEST(MemoryCategoriesTest, AnAddressGivenOutAgainEndsTheBlockThatNobodySawFreed) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100);
  made.step().phase(StepPhase::Forward).allocate(1, 50).release(1, 50);
  const BlockLives lives = classify(made);
  EXPECT_EQ(lives.freed_unseen, 1);
  ASSERT_EQ(lives.lives.size(), 2);
  EXPECT_EQ(lives.lives[0].end, lives.lives[1].begin);
  EXPECT_EQ(lives.lives[0].kind, MemoryKind::Other);
}

TEST(MemoryCategoriesTest, WhatIsNeverFreedIsNotKnown) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100);
  EXPECT_EQ(kind_at(classify(made), 1), "other");
}

TEST(MemoryCategoriesTest, HostAndDeviceMayUseTheSameAddress) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100).on_device(0).allocate(1, 70);
  made.phase(StepPhase::Backward).release(1, 70);
  const BlockLives lives = classify(made);
  ASSERT_EQ(lives.lives.size(), 2);
  EXPECT_EQ(lives.freed_unseen, 0);
  EXPECT_EQ(lives.lives[0].end, kStillAlive);
  EXPECT_EQ(lives.lives[1].kind, MemoryKind::Activation);
}

TEST(MemoryCategoriesTest, AnotherThreadsBlocksBelongToThePhaseOfTheOneThatSteps) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 8);
  made.on_thread(3).allocate(2, 100).release(2, 100).on_thread(0).release(1, 8);
  const BlockLives lives = classify(made);
  EXPECT_EQ(kind_at(lives, 1), "temporaries") << "the other thread's records cut no phase";
  EXPECT_EQ(kind_at(lives, 2), "temporaries");
}

TEST(MemoryCategoriesTest, WhatAStepThatBrokeOffStillHeldIsNotKnown) {
  MadeMemory made;
  made.step().phase(StepPhase::Forward).allocate(1, 100).allocate(2, 10).release(2, 10);
  made.allocate(3, 1).release(1, 100).release(3, 1);
  const BlockLives broken = classify(made, {.broke_off = true});
  EXPECT_EQ(kind_at(broken, 1), "other");
  EXPECT_EQ(kind_at(broken, 2), "temporaries") << "freed before it broke";
  EXPECT_EQ(kind_at(classify(made), 1), "temporaries");
}

TEST(MemoryCategoriesTest, NothingRecordedIsNothing) {
  EXPECT_TRUE(classify_memory({}).lives.empty());
}

}  // namespace
}  // namespace ridgeline
