#include "engine/backend.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <c10/util/Exception.h>

#include <gtest/gtest.h>

#include "core/error.h"
#include "cuda/plugin.h"

namespace ridgeline {
namespace {

using CudaBackendTest = PluginTest;

at::TensorOptions on_device() { return at::TensorOptions(at::kCUDA).dtype(at::kFloat); }

TEST_F(CudaBackendTest, TellsTheFactsOfTheDevice) {
  const DeviceFacts facts = backend().facts(0);
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GT(facts.multiprocessors, 0);
  EXPECT_GE(facts.compute_major, 5);
  EXPECT_GT(facts.free_memory.count, 0);
  EXPECT_GE(facts.total_memory.count, facts.free_memory.count);
}

TEST_F(CudaBackendTest, PartsOfAClockAddUp) {
  const auto clock = backend().make_clock(3);
  const at::Tensor a = at::rand({1024, 1024}, on_device());
  at::Tensor product = at::mm(a, a);
  clock->mark(0);
  for (int i = 0; i < 10; ++i) product = at::mm(a, a);
  clock->mark(1);
  for (int i = 0; i < 10; ++i) product = at::mm(a, a);
  clock->mark(2);
  clock->wait(2);
  EXPECT_GT(clock->between(0, 1).count(), 0.0);
  EXPECT_GT(clock->between(1, 2).count(), 0.0);
  // Each reading is rounded to about half a microsecond.
  EXPECT_NEAR((clock->between(0, 1) + clock->between(1, 2)).count(), clock->between(0, 2).count(),
              2e-6);
}

TEST_F(CudaBackendTest, ReplayRepeatsTheWorkOnNewInput) {
  ASSERT_EQ(backend().capture_obstacle(), std::nullopt);
  const at::Tensor input = at::ones({256, 256}, on_device());
  at::Tensor output = at::mm(input, input);
  const auto graph = backend().capture([&] { output = at::mm(input, input).add_(1); });
  for (const double value : {1.0, 2.0, 3.0}) {
    input.fill_(value);
    graph->replay();
    backend().synchronize();
    EXPECT_EQ(output.min().item<double>(), 256 * value * value + 1);
    EXPECT_EQ(output.max().item<double>(), 256 * value * value + 1);
  }
}

TEST_F(CudaBackendTest, EveryReplayDrawsNewRandomNumbers) {
  at::Tensor drawn = at::rand({64}, on_device());
  const auto graph = backend().capture([&] { drawn = at::rand({64}, on_device()); });
  graph->replay();
  const at::Tensor first = drawn.clone();
  graph->replay();
  EXPECT_FALSE(first.equal(drawn));
}

TEST_F(CudaBackendTest, ReplayRecordsMarksAgain) {
  const auto clock = backend().make_clock(4);
  const at::Tensor a = at::rand({2048, 2048}, on_device());
  at::Tensor product = at::mm(a, a);
  const auto graph = backend().capture([&] {
    clock->mark(1);
    product = at::mm(a, a);
    clock->mark(2);
  });
  for (int i = 0; i < 3; ++i) {
    clock->mark(0);
    graph->replay();
    clock->mark(3);
    clock->wait(3);
    // A mark left over from an earlier replay would lie before mark 0.
    EXPECT_GE(clock->between(0, 1).count(), 0.0);
    EXPECT_GT(clock->between(1, 2).count(), 0.0);
    EXPECT_GE(clock->between(2, 3).count(), 0.0);
  }
}

TEST_F(CudaBackendTest, AFailedCaptureLeavesTheDeviceUsable) {
  const at::Tensor a = at::ones({16}, on_device());
  static_cast<void>(at::rand({16}, on_device()));
  // Reading a number back waits for the device, which a capture cannot.
  const auto forbidden = [&] {
    static_cast<void>(at::rand({16}, on_device()).sum().item<float>());
  };
  EXPECT_THROW(static_cast<void>(backend().capture(forbidden)), Error);
  EXPECT_EQ((a + 1).sum().item<float>(), 32.F);
  EXPECT_GT(at::rand({16}, on_device()).sum().item<float>(), 0.F);
  at::Tensor b = a + 1;
  const auto graph = backend().capture([&] { b = a + 2; });
  graph->replay();
  EXPECT_EQ(b.sum().item<float>(), 48.F);
}

TEST_F(CudaBackendTest, AnErrorOfTheBodyComesThroughACapture) {
  EXPECT_THROW(static_cast<void>(backend().capture([] { throw Error(Fault::BadInput, "body"); })),
               Error);
  EXPECT_EQ(at::ones({4}, on_device()).sum().item<float>(), 4.F);
}

TEST_F(CudaBackendTest, ThePeakFallsWhenReset) {
  constexpr double kSize = 256 << 20;
  { const at::Tensor large = at::empty({64 << 20}, on_device()); }
  EXPECT_GE(backend().memory().peak.count, backend().memory().current.count + kSize);
  backend().reset_peak_memory();
  EXPECT_EQ(backend().memory().peak.count, backend().memory().current.count);
}

TEST_F(CudaBackendTest, ReleasingTheCacheReturnsMemoryToTheDevice) {
  { const at::Tensor large = at::empty({64 << 20}, on_device()); }
  const double before = backend().memory().reserved.count;
  backend().release_cached_memory();
  EXPECT_LE(backend().memory().reserved.count, before - (256 << 20));
}

TEST_F(CudaBackendTest, OutOfMemoryLeavesTheNextAllocationWorking) {
  const auto elements = static_cast<std::int64_t>(backend().facts(0).total_memory.count / 2);
  EXPECT_THROW(at::empty({elements}, on_device()), c10::OutOfMemoryError);
  EXPECT_EQ(at::ones({1024}, on_device()).sum().item<float>(), 1024.F);
}

TEST_F(CudaBackendTest, Tf32IsASwitch) {
  backend().set_tf32(true);
  EXPECT_TRUE(at::globalContext().allowTF32CuBLAS());
  EXPECT_TRUE(at::globalContext().allowTF32CuDNN());
  backend().set_tf32(false);
  EXPECT_FALSE(at::globalContext().allowTF32CuBLAS());
  EXPECT_FALSE(at::globalContext().allowTF32CuDNN());
}

}  // namespace
}  // namespace ridgeline
