#include <gtest/gtest.h>

#include "trace/analysis_facts.h"
#include "trace/made_trace.h"

namespace ridgeline {
namespace {

TEST(OptimizerTimeTest, WhatRunsWithinAnOptimizersStepIsTheOptimizer) {
  MadeTrace made;
  made.host(
          {.name = "ProfilerStep#1", .start = 0, .length = 1000, .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 10, .length = 50})
      .launched(1, 20, {.name = "gemm", .start = 100, .length = 40})
      .host({.name = "Optimizer.step#Muon.step",
             .start = 200,
             .length = 500,
             .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 210, .length = 60})
      .launched(2, 220, {.name = "gemm", .start = 300, .length = 30})
      .host({.name = "aten::add_", .start = 400, .length = 20})
      .launched(3, 405, {.name = "add", .start = 450, .length = 7});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_NEAR(op_time(facts, OpKind::Matmul).count(), 40e-9, 1e-15);
  EXPECT_NEAR(op_time(facts, OpKind::Optimizer).count(), 37e-9, 1e-15);
  EXPECT_NEAR(op_time(facts).count(), 77e-9, 1e-15) << "no time is lost and none counts twice";
}

TEST(OptimizerTimeTest, OfTheHostAloneTheOptimizersStepIsTheOptimizerToo) {
  MadeTrace made;
  made.host(
          {.name = "ProfilerStep#1", .start = 0, .length = 1000, .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 10, .length = 50})
      .host({.name = "optimizer_step",
             .start = 200,
             .length = 500,
             .kind = EventKind::UserAnnotation})
      .host({.name = "aten::mm", .start = 210, .length = 60})
      .host({.name = "aten::empty", .start = 220, .length = 10});
  const ProfileFacts facts = facts_of(analyse(made.trace));
  EXPECT_NEAR(op_time(facts, OpKind::Matmul).count(), 50e-9, 1e-15);
  EXPECT_NEAR(op_time(facts, OpKind::Optimizer).count(), 60e-9, 1e-15);
}

}  // namespace
}  // namespace ridgeline
