#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/findings.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;
using testing::Not;

ProfileFacts with_memory(const MemoryFacts& memory) {
  ProfileFacts facts{.on_gpu = true, .steps = 5, .step = Seconds{0.1}};
  facts.memory = memory;
  return facts;
}

TEST(MemoryFindingsTest, MemoryOfAnUnknownBeginningIsGrowthAndNoPeak) {
  const MemoryFacts peak{.peak = Bytes{3 << 20}, .device = "cuda:3", .reserved = Bytes{16 << 20}};
  EXPECT_THAT(findings_text(with_memory(peak)),
              HasSubstr("Peak memory allocated on cuda:3 is 3.00 MiB."));
  EXPECT_THAT(findings_text(with_memory(peak)), HasSubstr("Fragmentation"));
  MemoryFacts grown = peak;
  grown.since_start = true;
  EXPECT_THAT(findings_text(with_memory(grown)),
              HasSubstr("Memory allocated on cuda:3 grew by up to 3.00 MiB since the recording"));
  EXPECT_THAT(findings_text(with_memory(grown)), Not(HasSubstr("Fragmentation")));
}

TEST(MemoryFindingsTest, NothingIsKeptForABackwardThatNeverRuns) {
  ProfileFacts facts = with_memory({.peak = Bytes{1e9},
                                    .activations = Bytes{8e8},
                                    .before_forward = Bytes{1e8},
                                    .after_forward = Bytes{9e8}});
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("backward")));
  EXPECT_THAT(findings_text(facts), Not(HasSubstr("checkpointing")));
  facts.runs_backward = true;
  EXPECT_THAT(findings_text(facts), HasSubstr("activations kept for the backward"));
  EXPECT_THAT(findings_text(facts), HasSubstr("gradient checkpointing"));
}

}  // namespace
}  // namespace ridgeline
