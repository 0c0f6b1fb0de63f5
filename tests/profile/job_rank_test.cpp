#include "profile/job_rank.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(JobRankTest, WhatTorchrunTellsIsTaken) {
  const JobRank told = job_rank("3", "8");
  EXPECT_EQ(told.rank, 3);
  EXPECT_EQ(told.world_size, 8);
}

TEST(JobRankTest, NonsenseIsAProcessAlone) {
  using Words = std::pair<const char*, const char*>;
  for (const auto& [rank, size] :
       {Words{nullptr, nullptr}, Words{"0", nullptr}, Words{"8", "8"}, Words{"-1", "2"},
        Words{"1x", "2"}, Words{"0", "99999999999"}, Words{"", ""}}) {
    EXPECT_EQ(job_rank(rank, size).rank, 0);
    EXPECT_EQ(job_rank(rank, size).world_size, 1);
  }
}

}  // namespace
}  // namespace ridgeline
