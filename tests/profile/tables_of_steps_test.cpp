// The tables of real steps: their FLOPs against those of a roofline of the same recording and
// against what the models themselves say, their parameters against the models' count.
#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "engine/step.h"
#include "models/make.h"
#include "profile/observer.h"
#include "profile/profile_tables.h"
#include "profile/shape_points.h"
#include "profile/small_models.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

using ridgeline::testing::resnet;
using ridgeline::testing::transformer;

constexpr std::size_t kSteps = 2;

Recording record(const ModelSpec& spec, const RunSettings& settings) {
  const auto workload =
      make_step([&] { return make_model(spec, {.ops = plain_ops()}, 1); }, settings, cpu_backend());
  (void)workload->step();
  const std::unique_ptr<OpObserver> observer(ridgeline_make_op_observer(
      {.shapes = true, .values = true, .memory = true, .trace_bytes = 50e6}));
  for (std::size_t step = 0; step < kSteps; ++step) {
    const WatchedStep watched(*observer, static_cast<std::int64_t>(step), Keep::Everything);
    (void)workload->step();
  }
  return observer->finish();
}

double flop_of(const OpTable& table) {
  double sum = 0;
  for (const OpRow& row : table.rows) sum += row.flop.count;
  return sum;
}

double flop_of(const ModuleTable& table, StepPhase phase) {
  double sum = 0;
  for (const ModuleRow& row : table.rows)
    if (row.depth == 0) sum += row.flop(phase).count;
  return sum;
}

double flop_of(const ShapePoints& points) {
  double sum = 0;
  for (const RooflinePoint& point : points.points) sum += point.total_flop().count;
  return sum;
}

void expect_the_rooflines_flops(const ModelSpec& spec) {
  const Recording recording = record(spec, {.threads = 1});
  const double roofline = static_cast<double>(kSteps) * flop_of(shape_points(recording, {}));
  ASSERT_GT(roofline, 0);
  for (const OpGrouping grouping : {OpGrouping::Op, OpGrouping::Shape, OpGrouping::Module}) {
    const ProfileTables tables = profile_tables(recording, {.grouping = grouping});
    EXPECT_NEAR(flop_of(tables.ops) / roofline, 1, 1e-9);
    double modules = 0;
    for (const StepPhase phase :
         {StepPhase::None, StepPhase::Forward, StepPhase::Backward, StepPhase::Optimizer})
      modules += flop_of(tables.modules, phase);
    EXPECT_NEAR(modules / roofline, 1, 1e-9);
  }
}

TEST(TablesOfStepsTest, FlopsAddUpToTheRooflines) {
  expect_the_rooflines_flops(resnet());
  expect_the_rooflines_flops(transformer());
}

// The models state products alone, so those ops are held against them.
void expect_the_models_flops(const ModelSpec& spec, const std::string& products, double tolerance) {
  const RunSettings settings{.threads = 1};
  const Recording recording = record(spec, settings);
  const ProfileTables tables = profile_tables(recording, {});
  double sum = 0;
  for (const OpRow& row : tables.ops.rows)
    if (products.find(" " + row.name + " ") != std::string::npos) sum += row.flop.count;
  const StepCost cost = step_cost(spec, settings).value();
  const double expected =
      static_cast<double>(kSteps) * (cost.forward.flop.count + cost.backward.flop.count);
  EXPECT_NEAR(sum / expected, 1, tolerance);
  EXPECT_NEAR(flop_of(tables.modules, StepPhase::Optimizer) /
                  (static_cast<double>(kSteps) * cost.optimizer.flop.count),
              1, 0.001);
}

TEST(TablesOfStepsTest, ProductsAreWhatTheModelSays) {
  expect_the_models_flops(
      resnet(), " aten::mkldnn_convolution aten::convolution_backward aten::addmm aten::mm ",
      0.001);
}

TEST(TablesOfStepsTest, TheOutermostModulesHaveAllParameters) {
  for (const ModelSpec& spec : {ModelSpec(resnet()), ModelSpec(transformer())}) {
    const ProfileTables tables =
        profile_tables(record(spec, {.threads = 1}), {.parameters = parameter_sizes(spec)});
    std::int64_t sum = 0;
    for (const ModuleRow& row : tables.modules.rows)
      if (row.depth == 0) sum += row.parameters;
    EXPECT_EQ(sum, parameter_count(spec));
    for (const ModuleRow& row : tables.modules.rows) {
      if (!row.name.empty()) continue;
      EXPECT_EQ(row.parameters, 0) << "each has a module";
    }
  }
}

TEST(TablesOfStepsTest, WhatOpsAllocateIsAtMostWhatTheStepsDid) {
  const Recording recording = record(resnet(), {.threads = 1});
  const ProfileTables tables = profile_tables(recording, {});
  std::int64_t allocated = 0;
  for (const MemoryRecord& change : recording.memory)
    allocated += std::max<std::int64_t>(change.bytes, 0);
  std::int64_t by_ops = 0;
  for (const OpRow& row : tables.ops.rows) by_ops += row.self_memory.allocated;
  EXPECT_LE(by_ops, allocated);
  EXPECT_GT(by_ops, allocated * 9 / 10);
}

}  // namespace
}  // namespace ridgeline
