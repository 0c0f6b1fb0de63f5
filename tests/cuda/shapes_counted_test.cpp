#include <ATen/Context.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/rand_like.h>

#include <gtest/gtest.h>

#include "cuda/counters_fixture.h"

namespace ridgeline {
namespace {

// What shapes ask for beside what is executed, where a library has no choice to do more: without
// cuDNN a convolution is a product for each sample, whose sides here are whole tiles. Sums of split
// products, scaling of results and adding up of columns (a fraction of one in four times the
// channels) are under 1 %.
class ShapesCountedTest : public CountersTest {
 protected:
  static constexpr std::int64_t kBatch = 2;
  static constexpr std::int64_t kChannels = 512;
  static constexpr std::int64_t kSide = 32;
  // One product of a 3 x 3 convolution that keeps channels and size.
  static constexpr double kProduct = 2.0 * kBatch * kChannels * kSide * kSide * (9 * kChannels);

  void SetUp() override {
    CountersTest::SetUp();
    if (IsSkipped()) return;
    at::globalContext().setUserEnabledCuDNN(false);
    backend().set_tf32(false);
    const auto on_gpu = at::TensorOptions(at::kCUDA);
    x_ = at::rand({kBatch, kChannels, kSide, kSide}, on_gpu);
    weight_ = at::rand({kChannels, kChannels, 3, 3}, on_gpu);
  }
  void TearDown() override { at::globalContext().setUserEnabledCuDNN(true); }

  // Of all units: which one a library takes is not asked here.
  static double flop(const std::function<void()>& body) {
    body();
    const CountedKernel sum = total(count(256, body));
    double flop = 0;
    for (const ComputePath path : {ComputePath::Fp32, ComputePath::TensorBf16})
      flop += sum.flop[index_of(path)]->count;
    return flop;
  }

  at::Tensor x_;
  at::Tensor weight_;
};

TEST_F(ShapesCountedTest, AProductInFp32ExecutesWhatItsShapesAskFor) {
  const at::Tensor a = at::rand({2048, 2048}, at::TensorOptions(at::kCUDA));
  EXPECT_NEAR(flop([&] { (void)at::mm(a, a); }) / (2.0 * 2048 * 2048 * 2048), 1, 0.01);
}

TEST_F(ShapesCountedTest, AConvolutionExecutesWhatItsShapesAskFor) {
  const auto forward = [&] { (void)at::conv2d(x_, weight_, {}, {1, 1}, {1, 1}); };
  EXPECT_NEAR(flop(forward) / kProduct, 1, 0.01);
}

TEST_F(ShapesCountedTest, ABackwardOfAConvolutionExecutesTwoProducts) {
  const at::Tensor gradient = at::rand_like(x_);
  const auto backward = [&] {
    (void)at::convolution_backward(gradient, x_, weight_, at::OptionalIntArrayRef(), {1, 1}, {1, 1},
                                   {1, 1}, /*transposed=*/false, {0, 0}, /*groups=*/1,
                                   {true, true, false});
  };
  EXPECT_NEAR(flop(backward) / (2 * kProduct), 1, 0.01);
}

}  // namespace
}  // namespace ridgeline
