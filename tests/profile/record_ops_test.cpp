#include <ATen/ATen.h>
#include <ATen/record_function.h>

#include <future>
#include <memory>
#include <numeric>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/scope.h"
#include "engine/step.h"
#include "models/make.h"
#include "profile/module_table.h"
#include "profile/observer.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::unique_ptr<OpObserver> observe(const ObserverOptions& options = {.trace_bytes = 10e6}) {
  return std::unique_ptr<OpObserver>(ridgeline_make_op_observer(options));
}

template <class Work>
void recorded_step(OpObserver& observer, std::int64_t number, Work&& work) {
  observer.resume(Keep::Everything);
  observer.begin_step(number);
  work();
  observer.end_step();
  observer.pause();
}

const OpRecord& op_of(const Recording& recording, std::string_view name) {
  for (const OpRecord& op : recording.ops) {
    if (recording.name(op.name) == name) return op;
  }
  throw std::out_of_range("no op " + std::string(name));
}

std::multiset<std::string> op_names(const Recording& recording) {
  std::multiset<std::string> names;
  for (const OpRecord& op : recording.ops) names.insert(recording.name(op.name));
  return names;
}

Nanoseconds self_sum(const Recording& recording) {
  return std::accumulate(recording.totals.begin(), recording.totals.end(), Nanoseconds{0},
                         [](Nanoseconds sum, const OpTotal& total) { return sum + total.self; });
}

TEST(RecordOpsTest, OpsOfAStepAreSeenNestedAndTheirSelfTimesAddUpToIt) {
  const auto observer = observe();
  const at::Tensor x = at::ones({4, 3});
  const at::Tensor weight = at::ones({2, 3});
  recorded_step(*observer, 5, [&] { (void)at::linear(x, weight); });
  const Recording recording = observer->finish();
  ASSERT_EQ(recording.steps.size(), 1);
  EXPECT_EQ(recording.steps[0].number, 5);
  const OpRecord& step = op_of(recording, "ProfilerStep#5");
  const OpRecord& linear = op_of(recording, "aten::linear");
  const OpRecord& mm = op_of(recording, "aten::mm");
  EXPECT_EQ(linear.parent, step.id);
  EXPECT_LE(linear.start, mm.start);
  EXPECT_LE(mm.end, linear.end);
  EXPECT_EQ(self_sum(recording), recording.steps[0].end - recording.steps[0].start);
  EXPECT_FALSE(recording.gaps.any());
}

TEST(RecordOpsTest, NothingIsRecordedOutsideAStep) {
  const auto observer = observe();
  (void)at::ones({2}).add(1);
  recorded_step(*observer, 0, [] { (void)at::ones({2}).mul(2); });
  (void)at::ones({2}).sub(1);
  observer->resume(Keep::Nothing);
  (void)at::ones({2}).div(3);
  observer->pause();
  const auto names = op_names(observer->finish());
  EXPECT_THAT(names, Contains("aten::mul"));
  for (const char* name : {"aten::add", "aten::sub", "aten::div"}) EXPECT_EQ(names.count(name), 0);
}

TEST(RecordOpsTest, ScopesCostNothingAndSayNothingWhenNobodyListens) {
  EXPECT_EQ(scope_listener.load(), nullptr);
  {
    const auto observer = observe();
    EXPECT_EQ(scope_listener.load(), nullptr);
    observer->resume(Keep::Everything);
    EXPECT_NE(scope_listener.load(), nullptr);
  }
  EXPECT_EQ(scope_listener.load(), nullptr);
}

TEST(RecordOpsTest, BackwardNodesBelongToTheModuleOfTheirForward) {
  const auto observer = observe();
  at::Tensor weight = at::ones({3, 3}).requires_grad_();
  const std::string first = "first";
  const std::string second = "second";
  recorded_step(*observer, 0, [&] {
    at::Tensor x = at::ones({2, 3});
    {
      const PhaseScope phase(StepPhase::Forward);
      {
        const ModuleScope scope(first);
        x = x.matmul(weight);
      }
      const ModuleScope scope(second);
      x = x.exp().sum();
    }
    const PhaseScope phase(StepPhase::Backward);
    x.backward();
  });
  const Recording recording = observer->finish();
  EXPECT_EQ(recording.name(op_of(recording, "MmBackward0").module), "first");
  EXPECT_EQ(recording.name(op_of(recording, "ExpBackward0").module), "second");
  EXPECT_EQ(recording.name(op_of(recording, "torch::autograd::AccumulateGrad").module), "first");
  EXPECT_EQ(op_of(recording, "MmBackward0").kind, FrameKind::Backward);
  EXPECT_EQ(op_of(recording, "MmBackward0").phase, StepPhase::Backward);
}

TEST(RecordOpsTest, ANodeOfTheBackwardIsOneFrameJoinedToItsOp) {
  const auto observer = observe({.program_ranges = false, .trace_bytes = 10e6});
  at::Tensor x = at::ones({2, 3}).requires_grad_();
  recorded_step(*observer, 0, [&] { x.exp().sum().backward(); });
  const Recording recording = observer->finish();
  const OpRecord& node = op_of(recording, "ExpBackward0");
  const OpRecord& maker = op_of(recording, "aten::exp");
  EXPECT_EQ(op_names(recording).count("ExpBackward0"), 1);
  EXPECT_GE(node.sequence, 0);
  EXPECT_EQ(node.sequence, maker.sequence);
  EXPECT_EQ(node.forward_thread, recording.threads.at(maker.thread).torch_id);
  EXPECT_EQ(op_of(recording, "torch::autograd::AccumulateGrad").sequence, kNoSequence);
  // What the node computes is inside it.
  const auto inside = std::ranges::count(recording.ops, node.id, &OpRecord::parent);
  EXPECT_GE(inside, 1);
}

TEST(RecordOpsTest, NodesHaveTheShapesOfTheGradientsThatReachThem) {
  const auto observer = observe({.shapes = true, .program_ranges = false, .trace_bytes = 10e6});
  at::Tensor x = at::ones({2, 3}).requires_grad_();
  recorded_step(*observer, 0, [&] { x.exp().sum().backward(); });
  const Recording recording = observer->finish();
  EXPECT_EQ(op_names(recording).count("ExpBackward0"), 1);
  EXPECT_THAT(recording.name(op_of(recording, "ExpBackward0").shape), HasSubstr("[[2,3]]"));
}

TEST(RecordOpsTest, RangesOfAProgramAreSeenUnlessDeclined) {
  for (const bool wanted : {true, false}) {
    const auto observer = observe({.program_ranges = wanted, .trace_bytes = 10e6});
    recorded_step(*observer, 0, [] {
      RECORD_USER_SCOPE("mine");
      (void)at::ones({2}).neg();
    });
    EXPECT_EQ(op_names(observer->finish()).count("mine"), wanted ? 1 : 0);
  }
}

TEST(RecordOpsTest, AnOpThatThrowsLeavesACompleteRecord) {
  const auto observer = observe();
  EXPECT_ANY_THROW(recorded_step(*observer, 0, [] {
    const PhaseScope phase(StepPhase::Forward);
    (void)at::ones({2, 3}).matmul(at::ones({2, 3}));
  }));
  observer->end_step();
  const Recording recording = observer->finish();
  EXPECT_EQ(recording.gaps.unfinished, 0);
  EXPECT_LE(op_of(recording, "aten::matmul").end, op_of(recording, "forward").end);
}

TEST(RecordOpsTest, ShapesAreThoseOfTheInputs) {
  const auto observer = observe({.shapes = true, .trace_bytes = 10e6});
  const at::Tensor x = at::ones({4, 3});
  recorded_step(*observer, 0, [&] {
    (void)at::mm(x, at::ones({3, 2}));
    (void)at::cat({x, x});
  });
  const Recording recording = observer->finish();
  EXPECT_THAT(recording.name(op_of(recording, "aten::mm").shape), HasSubstr("[[4,3],[3,2]]"));
  EXPECT_THAT(recording.name(op_of(recording, "aten::mm").shape), HasSubstr("Float"));
  EXPECT_THAT(recording.name(op_of(recording, "aten::cat").shape), HasSubstr("[[4,3],[4,3]]"));
}

TEST(RecordOpsTest, AllocationsAreRecordedWhenAskedFor) {
  const auto observer = observe({.memory = true, .trace_bytes = 10e6});
  recorded_step(*observer, 0, [&] { (void)at::empty({1000}, at::kFloat); });
  const Recording recording = observer->finish();
  ASSERT_EQ(recording.memory.size(), 2);
  EXPECT_EQ(recording.memory[0].bytes, 4000);
  EXPECT_EQ(recording.memory[1].bytes, -4000);
  EXPECT_EQ(recording.memory[0].address, recording.memory[1].address);
  EXPECT_EQ(recording.name(recording.memory[0].op), "aten::empty");
}

TEST(RecordOpsTest, AThreadThatIsStillInsideAnOpAtTheEndLosesItsFramesAndHarmsNobody) {
  auto observer = observe();
  std::promise<void> begun;
  std::promise<void> end;
  std::thread other;
  recorded_step(*observer, 0, [&] {
    other = std::thread([&] {
      RECORD_USER_SCOPE("endless");
      (void)at::ones({2}).mul(2);
      begun.set_value();
      end.get_future().wait();
    });
    begun.get_future().wait();
    (void)at::ones({2}).neg();
  });
  const Recording recording = observer->finish();
  EXPECT_EQ(recording.gaps.unfinished, 1);
  EXPECT_EQ(op_names(recording).count("aten::neg"), 1);
  EXPECT_EQ(op_names(recording).count("endless"), 0);
  observer.reset();
  end.set_value();
  other.join();
}

TEST(RecordOpsTest, ASecondObserverMustWaitForTheFirst) {
  auto first = observe();
  EXPECT_ANY_THROW((void)observe());
  first.reset();
  EXPECT_NO_THROW((void)observe());
}

// Every weight's module, by the model's own names, has time in the forward and in the backward.
void expect_time_in_every_module(const ModelSpec& spec) {
  const RunSettings settings{.threads = 1};
  const ModelContext context{.ops = plain_ops()};
  std::set<std::string> wanted;
  const auto workload = make_step(
      [&] {
        auto model = make_model(spec, context, 1);
        for (const auto& [name, tensor] : model->parameters())
          wanted.insert(name.substr(0, name.find('.', name.find('.') + 1)));
        return model;
      },
      settings, cpu_backend());
  const auto observer = observe();
  recorded_step(*observer, 0, [&] { (void)workload->step(); });
  const ModuleTable table = module_table(observer->finish());
  std::set<std::string> seen;
  for (const ModuleRow& row : table.rows) {
    if (row.forward > 0 && row.backward > 0) seen.insert(row.name);
  }
  for (std::string name : wanted) {
    if (name.ends_with(".weight") || name.ends_with(".bias")) name.resize(name.rfind('.'));
    EXPECT_THAT(seen, Contains(name));
  }
  Nanoseconds sum = 0;
  for (const ModuleRow& row : table.rows) sum += row.depth == 0 ? row.total() : 0;
  EXPECT_EQ(sum, table.steps);
}

TEST(RecordOpsTest, EveryLayerOfATransformerHasForwardAndBackwardTime) {
  expect_time_in_every_module(TransformerSpec{.label = "tiny",
                                              .vocab_size = 64,
                                              .d_model = 32,
                                              .d_ff = 64,
                                              .num_layers = 2,
                                              .num_heads = 2,
                                              .num_kv_heads = 2,
                                              .context_length = 16,
                                              .batch_size = 2});
}

TEST(RecordOpsTest, EveryBlockOfAResNetHasForwardAndBackwardTime) {
  expect_time_in_every_module(
      ResNetSpec{.label = "resnet18", .num_classes = 10, .image_size = 32, .batch_size = 2});
}

}  // namespace
}  // namespace ridgeline
