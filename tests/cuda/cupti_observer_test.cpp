#include <ATen/TensorOperators.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "cuda/plugin.h"
#include "engine/scope.h"
#include "profile/device_observer.h"
#include "profile/device_times.h"

extern "C" ridgeline::OpObserver* ridgeline_make_op_observer(
    const ridgeline::ObserverOptions& options);

namespace ridgeline {
namespace {

class CudaCuptiTest : public PluginTest {
 protected:
  static std::unique_ptr<OpObserver> observer() {
    std::unique_ptr<OpObserver> host(ridgeline_make_op_observer({}));
    std::unique_ptr<DeviceObserver> device(plugin().make_device_observer({.hooks = host->hooks()}));
    return watch_both(std::move(host), std::move(device),
                      [](const Error& reason) { ADD_FAILURE() << reason.what(); });
  }
  static at::Tensor input() { return at::rand({512, 512}, at::TensorOptions(at::kCUDA)); }

  static Recording steps(OpObserver& watched, int count, const std::function<void()>& body) {
    for (int i = 0; i < count; ++i) {
      const WatchedStep step(watched, i, Keep::Everything);
      body();
      backend().synchronize();
    }
    return watched.finish();
  }
  static const OpRecord* op_of(const Recording& recording, std::uint32_t id) {
    const auto found = std::ranges::find(recording.ops, id, &OpRecord::id);
    return found == recording.ops.end() ? nullptr : &*found;
  }
};

TEST_F(CudaCuptiTest, EveryKernelIsRecordedUnderTheOpThatLaunchedIt) {
  const at::Tensor a = input();
  at::Tensor warm = at::relu(at::mm(a, a));
  const auto watched = observer();
  Recording recording = steps(*watched, 3, [&] {
    const ModuleScope module("layer");
    warm = at::relu(at::mm(a, a));
  });
  std::size_t products = 0;
  std::size_t relus = 0;
  for (const DeviceRecord& work : recording.device) {
    const OpRecord* const op = op_of(recording, work.external_id);
    ASSERT_NE(op, nullptr) << work.name;
    EXPECT_LT(work.start, work.end);
    EXPECT_LE(work.launch, work.launch_end);
    EXPECT_LE(work.launch, work.start) << "a kernel cannot start before it was launched";
    EXPECT_GE(work.launch, op->start);
    EXPECT_LE(work.launch_end, op->end);
    EXPECT_EQ(recording.name(op->module), "layer");
    products += recording.name(op->name) == "aten::mm" ? 1 : 0;
    relus +=
        recording.name(op->name) == "aten::clamp_min" || recording.name(op->name) == "aten::relu";
  }
  EXPECT_GE(products, 3);
  EXPECT_EQ(relus, 3);
  EXPECT_EQ(attribute_device_times(recording), 0);
}

TEST_F(CudaCuptiTest, DeviceTimesOfFramesAddUpToTheRecords) {
  const at::Tensor a = input();
  const auto watched = observer();
  Recording recording = steps(*watched, 2, [&] { (void)at::mm(a, a).add_(1); });
  Nanoseconds sum = 0;
  for (const DeviceRecord& work : recording.device) sum += work.end - work.start;
  Nanoseconds given = attribute_device_times(recording);
  for (const OpTotal& total : recording.totals) given += total.device_self;
  EXPECT_GT(sum, 0);
  EXPECT_EQ(given, sum);
}

TEST_F(CudaCuptiTest, NodesOfAReplayedGraphHaveTheOpAndModuleTheyWereCapturedUnder) {
  const at::Tensor a = input();
  at::Tensor out = at::relu(at::mm(a, a));
  const auto watched = observer();
  watched->resume(Keep::Everything);
  const auto graph = backend().capture([&] {
    const PhaseScope phase(StepPhase::Forward);
    const ModuleScope module("layer");
    out = at::relu(at::mm(a, a));
  });
  watched->pause();
  watched->reset();
  const Recording recording = steps(*watched, 4, [&] { graph->replay(); });
  ASSERT_GE(recording.device.size(), 8);
  bool product = false;
  for (const DeviceRecord& work : recording.device) {
    EXPECT_NE(work.graph_node, 0) << work.name;
    ASSERT_NE(work.captured, 0) << work.name;
    const OpRecord& op = recording.captured.at(work.captured - 1);
    EXPECT_EQ(recording.name(op.module), "layer");
    EXPECT_EQ(op.phase, StepPhase::Forward);
    product = product || recording.name(op.name) == "aten::mm";
  }
  EXPECT_TRUE(product);
}

TEST_F(CudaCuptiTest, AWaitOfTheHostIsRecordedUnderItsOpAndIsNoWork) {
  const at::Tensor a = input();
  (void)a.sum().item();
  const auto watched = observer();
  const Recording recording = steps(*watched, 2, [&] { (void)at::mm(a, a).sum().item(); });
  const auto in_item = std::ranges::count_if(recording.syncs, [&](const SyncRecord& sync) {
    const OpRecord* const op = op_of(recording, sync.external_id);
    return op != nullptr && sync.kind == SyncKind::Stream && is_op(op->kind) &&
           sync.start >= op->start && sync.end <= op->end;
  });
  EXPECT_EQ(in_item, 2);
  EXPECT_LT(recording.syncs.size(), 10) << "torch's questions whether an event has come are none";
  for (const DeviceRecord& work : recording.device)
    EXPECT_EQ(work.name.find("Sync"), std::string::npos);
}

TEST_F(CudaCuptiTest, WhoWithdrewIsGoneAndComesBack) {
  const at::Tensor a = input();
  const auto watched = observer();
  for (int round = 0; round < 3; ++round) {
    watched->withdraw();
    EXPECT_TRUE(watched->is_away());
    (void)at::mm(a, a);
    backend().synchronize();
    watched->reset();
    const Recording recording = steps(*watched, 2, [&] { (void)at::mm(a, a); });
    ASSERT_GE(recording.device.size(), 2);
    for (const DeviceRecord& work : recording.device)
      EXPECT_NE(op_of(recording, work.external_id), nullptr) << work.name;
    EXPECT_FALSE(watched->is_away()) << "paused";
  }
}

// Names of kernels with those of the ops they belong to, in the order they ran.
std::vector<std::string> owned_kernels(const Recording& recording) {
  std::vector<std::string> owned;
  for (const DeviceRecord& work : recording.device) {
    const auto op = std::ranges::find(recording.ops, work.external_id, &OpRecord::id);
    owned.push_back(work.name + " of " +
                    (op == recording.ops.end() ? "none" : recording.name(op->name)));
  }
  return owned;
}

TEST_F(CudaCuptiTest, KernelsThatWereRecordedApartBelongToTheSameOpsAsTogether) {
  const at::Tensor a = input();
  const auto body = [&] {
    const ModuleScope module("layer");
    (void)at::relu(at::mm(a, a)).add_(1).sum().item();
  };
  body();
  const auto watched = observer();
  const Recording together = steps(*watched, 3, body);
  ASSERT_GE(together.device.size(), 3 * 4);
  for (int round = 0; round < 2; ++round) {
    watched->reset();
    watched->watch(Side::Calls);
    {
      const WatchedStep step(*watched, 0, Keep::Everything);
      body();
      backend().synchronize();
    }
    watched->watch(Side::Host);
    for (int i = 0; i < 3; ++i) {
      const WatchedStep step(*watched, i, Keep::Everything);
      body();
      backend().synchronize();
    }
    EXPECT_TRUE(watched->is_away()) << "beside ops nobody watches the device";
    watched->watch(Side::Device);
    Recording apart = steps(*watched, 3, body);
    EXPECT_EQ(apart.steps.size(), 3);
    ASSERT_EQ(apart.device_steps.size(), 3);
    EXPECT_EQ(apart.gaps.launches_unlike, 0);
    EXPECT_EQ(owned_kernels(apart), owned_kernels(together));
    EXPECT_EQ(apart.syncs.size(), together.syncs.size());
    for (const SyncRecord& sync : apart.syncs) {
      const OpRecord* const op = op_of(apart, sync.external_id);
      EXPECT_EQ(op != nullptr && is_op(op->kind), sync.kind == SyncKind::Stream);
    }
    for (const DeviceRecord& work : apart.device) {
      EXPECT_GE(work.launch, apart.device_steps.front().start);
      EXPECT_LE(work.launch, work.start);
    }
    EXPECT_EQ(attribute_device_times(apart), 0);
    watched->watch(Side::Both);
  }
}

TEST_F(CudaCuptiTest, ACapturedGraphKeepsItsObserver) {
  const at::Tensor a = input();
  at::Tensor out = at::mm(a, a);
  const auto watched = observer();
  const auto graph = backend().capture([&] { out = at::relu(at::mm(a, a)); });
  (void)steps(*watched, 2, [&] { graph->replay(); });
  watched->withdraw();
  EXPECT_FALSE(watched->is_away());
  graph->replay();
  backend().synchronize();
  EXPECT_FALSE(steps(*watched, 2, [&] { graph->replay(); }).device.empty());
}

TEST_F(CudaCuptiTest, NothingIsRecordedWhilePaused) {
  const at::Tensor a = input();
  const auto watched = observer();
  (void)at::mm(a, a);
  backend().synchronize();
  EXPECT_TRUE(watched->finish().device.empty());
}

TEST_F(CudaCuptiTest, ASecondObserverIsRefusedWithAReason) {
  const auto watched = observer();
  try {
    (void)observer();
    FAIL() << "two at once";
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

}  // namespace
}  // namespace ridgeline
