// The whole way from real steps to work: what torch's ops were called with, the cost models, and
// the sums, checked against what the models themselves say they cost.
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "engine/step.h"
#include "models/catalog.h"
#include "models/make.h"
#include "models/spec.h"
#include "profile/observer.h"
#include "profile/shape_points.h"
#include "profile/small_models.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

using ridgeline::testing::resnet;
using ridgeline::testing::transformer;

ShapePoints points_of(const ModelSpec& spec, const RunSettings& settings) {
  const auto workload = make_step(
      [&] {
        return make_model(
            spec,
            {.ops = plain_ops(), .activation_checkpointing = settings.activation_checkpointing}, 1);
      },
      settings, cpu_backend());
  (void)workload->step();
  const std::unique_ptr<OpObserver> observer(
      ridgeline_make_op_observer({.shapes = true, .values = true, .trace_bytes = 50e6}));
  {
    const WatchedStep watched(*observer, 0, Keep::Everything);
    (void)workload->step();
  }
  return shape_points(observer->finish(), {});
}

// FLOPs of products alone, which is what the models state.
double products(const ShapePoints& points, const std::string& phase) {
  static const std::set<OpKind> kProducts{OpKind::Matmul, OpKind::Convolution, OpKind::Attention};
  double flop = 0;
  for (const RooflinePoint& point : points.points)
    if (kProducts.contains(point.kind) && point.phase == phase) flop += point.total_flop().count;
  return flop;
}

double optimizer_flop(const ShapePoints& points) {
  double flop = 0;
  for (const RooflinePoint& point : points.points)
    if (point.kind == OpKind::Optimizer) flop += point.total_flop().count;
  return flop;
}

void expect_the_models_own_count(const ModelSpec& spec, const RunSettings& settings,
                                 double tolerance) {
  const ShapePoints points = points_of(spec, settings);
  for (const UnmodelledOp& op : points.unmodelled) ADD_FAILURE() << "no cost model: " << op.name;
  const StepCost cost = step_cost(spec, settings).value();
  EXPECT_NEAR(products(points, "forward") / cost.forward.flop.count, 1, tolerance);
  EXPECT_NEAR(products(points, "backward") / cost.backward.flop.count, 1, tolerance);
  EXPECT_NEAR(optimizer_flop(points) / cost.optimizer.flop.count, 1, 0.001);
}

// The whole difference is the bias of the last layer, which the model's definition leaves out.
TEST(ShapesOfStepsTest, AResNetsProductsAreWhatTheModelSays) {
  expect_the_models_own_count(resnet(), {.threads = 1}, 0.001);
}

TEST(ShapesOfStepsTest, ChannelsLastIsTheSameWork) {
  expect_the_models_own_count(
      resnet(), {.optimizer = OptimizerKind::Sgd, .channels_last = true, .threads = 1}, 0.001);
}

// The difference is the softmax inside attention, five FLOPs a pair; it shrinks with the width.
TEST(ShapesOfStepsTest, ATransformersProductsAreWhatTheModelSays) {
  expect_the_models_own_count(transformer(), {.threads = 1}, 0.01);
}

TEST(ShapesOfStepsTest, RecomputationIsCounted) {
  expect_the_models_own_count(transformer(), {.activation_checkpointing = true, .threads = 1},
                              0.01);
}

// Of a catalogue model the smallest that has all its kinds of ops.
ModelSpec shrunk(ModelSpec spec) {
  if (auto* const model = std::get_if<TransformerSpec>(&spec)) {
    model->vocab_size = 64;
    model->d_model = 32;
    model->d_ff = 64;
    model->num_layers = 1;
    model->num_heads = 2;
    model->num_kv_heads = 2;
    model->context_length = 16;
    model->batch_size = 2;
  } else if (auto* const images = std::get_if<ResNetSpec>(&spec)) {
    images->image_size = 32;
    images->batch_size = 2;  // BatchNorm trains on no single value
    // Deeper ones are more of the same blocks.
    if (images->family == ResNetSpec::Family::CifarOptionA) images->depth = 20;
    if (images->depth == 34) images->depth = 18;
  } else if (auto* const attention = std::get_if<AttentionSpec>(&spec)) {
    attention->context_length = 16;
  }
  return spec;
}

void expect_all_ops_known(const ModelSpec& spec, const std::string& what) {
  for (const Extent extent : {Extent::Step, Extent::Inference}) {
    if (extent == Extent::Step && std::holds_alternative<AttentionSpec>(spec)) continue;
    const ShapePoints points = points_of(spec, {.extent = extent, .threads = 1});
    for (const UnmodelledOp& op : points.unmodelled)
      ADD_FAILURE() << what << ": no cost model: " << op.name;
  }
}

TEST(ShapesOfStepsTest, NoModelOfOursHasAnOpWithoutACostModel) {
  std::set<std::pair<int, int>> stepped;  // families and depths of ResNets
  for (const std::string_view name : model_names()) {
    const ModelSpec spec = shrunk(*find_model(name));
    const auto* const images = std::get_if<ResNetSpec>(&spec);
    if (images != nullptr &&
        !stepped.emplace(static_cast<int>(images->family), images->depth).second)
      continue;
    expect_all_ops_known(spec, std::string(name));
  }
  TransformerSpec half = std::get<TransformerSpec>(shrunk(*find_model("transformer")));
  half.rope = RopeLayout::Half;
  half.num_kv_heads = 1;
  half.tied = true;
  expect_all_ops_known(half, "transformer, rotary halves, one key head, tied");
  ResNetSpec stem = std::get<ResNetSpec>(shrunk(*find_model("resnet18")));
  stem.stem = ResNetSpec::Stem::Cifar;
  expect_all_ops_known(stem, "resnet18, CIFAR stem");
}

TEST(ShapesOfStepsTest, UnderAutocastProductsRunOnMatrixUnits) {
  const ShapePoints points = points_of(transformer(), {.precision = Precision::Bf16, .threads = 1});
  double matrix = 0;
  for (const RooflinePoint& point : points.points)
    matrix += point.flop[index_of(ComputePath::TensorBf16)].count;
  const StepCost cost = step_cost(ModelSpec(transformer()), {}).value();
  EXPECT_NEAR(matrix / (cost.forward.flop.count + cost.backward.flop.count), 1, 0.01);
}

}  // namespace
}  // namespace ridgeline
