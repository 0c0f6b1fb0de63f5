#include "profile/profile_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/made_ops.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ridgeline::testing::kSmallMm;
using ridgeline::testing::MadeOps;
using ::testing::HasSubstr;

TEST(ProfileTablesTest, WhatBringsFlopsIsSaidWhereThereAreNone) {
  MadeOps made;
  made.frame("aten::mm", "", 1, 100);
  EXPECT_EQ(profile_tables(made.recording, {}).flop_note, "FLOPs need shapes: --shapes.");
  EXPECT_THAT(profile_tables(made.recording, {.shapes_word = "shapes=1"}).flop_note,
              HasSubstr("shapes=1"));
  MadeOps shaped;
  shaped.frame("aten::mm", kSmallMm, 1, 100);
  EXPECT_EQ(profile_tables(shaped.recording, {}).flop_note, "");
  shaped.recording.gaps.device_dropped = 1;
  EXPECT_THAT(profile_tables(shaped.recording, {}).flop_note, HasSubstr("not recorded"));
}

TEST(ProfileTablesTest, OpsAndModulesGetTheSameWork) {
  MadeOps made;
  made.frame("aten::mm", kSmallMm, 1, 100);
  const ProfileTables tables = profile_tables(made.recording, {});
  EXPECT_TRUE(tables.ops.has_flop);
  EXPECT_TRUE(tables.modules.has_flop);
  EXPECT_FALSE(tables.modules.has_parameters);
  EXPECT_EQ(tables.modules.rows.back().flop(StepPhase::Forward).count, 60);
}

TEST(ProfileTablesTest, MemoryIsThereWhereItWasRecorded) {
  const Recording recording = ridgeline::testing::sample_recording(testing::WithDevice::No);
  const ProfileTables tables = profile_tables(recording, {});
  EXPECT_EQ(tables.ops.has_memory, !recording.memory.empty());
}

}  // namespace
}  // namespace ridgeline
