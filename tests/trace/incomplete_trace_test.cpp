#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/analysis_facts.h"
#include "trace/bound.h"
#include "trace/comparison.h"
#include "trace/findings.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A step of a GPU with everything that findings speak of.
MadeTrace full_trace() {
  MadeTrace made;
  made.host({.name = "ProfilerStep#1",
             .start = 0,
             .length = 1'000'000,
             .kind = EventKind::UserAnnotation})
      .host({.name = "enumerate(DataLoader)#x", .start = 10, .length = 100'000})
      .host({.name = "aten::add", .start = 200'000, .length = 1'000})
      .launched(1, 200'500, {.name = "add", .start = 210'000, .length = 60'000})
      .launched(2, 300'000, {.name = "ncclAllReduce", .start = 300'100, .length = 50'000})
      .launched(3, 400'000,
                {.name = "Memcpy HtoD (Pinned -> Device)",
                 .start = 400'100,
                 .length = 9'000,
                 .kind = EventKind::Memcpy});
  made.trace.events.memory = {
      {.time_ns = 5, .bytes = 100, .device_type = 1, .device = 0, .allocated = 100}};
  return made;
}

std::vector<std::string> ids_of(const ProfileFacts& facts) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings_of(facts)) ids.emplace_back(finding.id);
  return ids;
}

TEST(IncompleteTraceTest, OfATraceThatWasCutOffNothingIsConcluded) {
  MadeTrace made = full_trace();
  EXPECT_THAT(ids_of(facts_of(analyse(made.trace))), ::testing::Contains("bound"));
  made.trace.notes.stopped = "the text ends early";
  made.trace.notes.cut_off = true;
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_THAT(ids_of(facts), ElementsAre("incomplete-trace"));
  EXPECT_THAT(findings_of(facts).front().text, HasSubstr("not read to its end"));
  EXPECT_TRUE(targets_of(facts).empty());
  EXPECT_FALSE(bound_of(facts));
  EXPECT_DOUBLE_EQ(facts.step.count(), 1e-3) << "what the mark says is whole";
}

TEST(IncompleteTraceTest, WorkBehindTheCutIsNotCalledUnrecorded) {
  MadeTrace made;
  made.host({.name = "cudaLaunchKernel", .start = 0, .length = 5, .kind = EventKind::Runtime});
  EXPECT_THAT(ids_of(facts_of(analyse(made.trace))), ElementsAre("unseen-device"));
  made.trace.notes.cut_off = true;
  EXPECT_THAT(ids_of(facts_of(analyse(made.trace))), ElementsAre("incomplete-trace"));
}

TEST(IncompleteTraceTest, WhatFollowsTheLastEventTakesNothingAway) {
  MadeTrace made = full_trace();
  const auto whole = ids_of(facts_of(analyse(made.trace)));
  made.trace.notes.stopped = "7 bytes after the gzip data are no gzip";
  EXPECT_EQ(ids_of(facts_of(analyse(made.trace))), whole);
}

TEST(IncompleteTraceTest, OpsBeyondTheLimitTakeTheSharesOfOpsAndLeaveTheDevice) {
  MadeTrace made = full_trace();
  made.trace.notes.ops_beyond_limit = 40;
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_EQ(facts.kernels->count, 2);
  EXPECT_DOUBLE_EQ(*facts.busy, 0.119);
  EXPECT_TRUE(facts.communication);
  EXPECT_TRUE(facts.memory);
  EXPECT_THAT(findings_of(facts).front().text, HasSubstr("40 ops are beyond its limit"));
}

TEST(IncompleteTraceTest, AllocationsBeyondTheLimitTakeThePeak) {
  MadeTrace made = full_trace();
  EXPECT_TRUE(facts_of(analyse(made.trace)).memory);
  made.trace.notes.allocations_beyond_limit = 7;
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_FALSE(facts.memory);
  EXPECT_FALSE(facts.ops.empty());
  EXPECT_TRUE(facts.busy);
}

TEST(IncompleteTraceTest, DeviceWorkBeyondTheLimitTakesAllThatStandsOnIt) {
  MadeTrace made = full_trace();
  made.trace.notes.device_beyond_limit = 7;
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_FALSE(facts.busy || facts.kernels || facts.communication || facts.to_device);
  EXPECT_TRUE(facts.ops.empty());
  EXPECT_TRUE(facts.memory && facts.data);
}

TEST(IncompleteTraceTest, APartIsNotComparedWhereItsRestIsNeeded) {
  MadeTrace part = full_trace();
  part.trace.notes.ops_beyond_limit = 40;
  const TraceComparison change = compare(analyse(full_trace().trace), analyse(part.trace));
  EXPECT_TRUE(change.incomplete);
  EXPECT_EQ(change.kernels.size(), 3U);
  EXPECT_TRUE(change.ops.empty() && change.ops_device.empty() && change.findings.empty());
  part.trace.notes.cut_off = true;
  const TraceComparison cut = compare(analyse(full_trace().trace), analyse(part.trace));
  EXPECT_TRUE(cut.kernels.empty());
  EXPECT_FALSE(cut.after.kernels) << "not known, and not zero";
  EXPECT_FALSE(cut.after.communication_alone_ns);
}

TEST(IncompleteTraceTest, WhereNothingWasReadThereIsNothingToConclude) {
  MadeTrace made;
  made.trace.notes.cut_off = true;
  EXPECT_TRUE(findings_of(facts_of(analyse(made.trace))).empty());
}

}  // namespace
}  // namespace ridgeline
