#include "engine/backward.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "engine/scope.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

at::Tensor leaf(at::IntArrayRef sizes, at::ScalarType type = at::kFloat) {
  return at::randn(sizes, at::kFloat).to(type).requires_grad_(true);
}

Tensors gradients_of(const Tensors& leaves) {
  Tensors gradients;
  for (const at::Tensor& one : leaves) {
    gradients.push_back(one.grad().defined() ? one.grad().clone() : at::Tensor());
    one.mutable_grad().reset();
  }
  return gradients;
}

// The same forward differentiated twice, by torch's engine and by ours.
void expect_torchs_bits(const Tensors& leaves, const std::function<Tensors()>& forward) {
  const auto seeds_for = [](const Tensors& roots) {
    Tensors seeds;
    for (const at::Tensor& root : roots) seeds.push_back(at::full_like(root, 0.75));
    return seeds;
  };
  Tensors roots = forward();
  torch::autograd::backward(roots, seeds_for(roots));
  const Tensors expected = gradients_of(leaves);
  roots = forward();
  differentiate(roots, seeds_for(roots));
  const Tensors found = gradients_of(leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ASSERT_EQ(found[i].defined(), expected[i].defined()) << "leaf " << i;
    if (expected[i].defined()) {
      EXPECT_TRUE(at::equal(found[i], expected[i])) << "leaf " << i;
      EXPECT_EQ(found[i].strides(), expected[i].strides()) << "leaf " << i;
    }
  }
}

TEST(BackwardTest, ATensorUsedManyTimesGetsTheSumOfItsGradients) {
  const at::Tensor x = leaf({7, 5});
  const at::Tensor w = leaf({5, 5});
  expect_torchs_bits({x, w}, [&] {
    at::Tensor y = x;
    for (int i = 0; i < 6; ++i) y = at::tanh(at::matmul(y, w)) + x * 0.3 + y;
    return Tensors{(y * y).mean()};
  });
}

TEST(BackwardTest, GradientsTakeTheShapeAndTheTypeOfWhatTheyBelongTo) {
  const at::Tensor scale = leaf({5});
  const at::Tensor half = leaf({3, 5}, at::kBFloat16);
  expect_torchs_bits({scale, half}, [&] {
    return Tensors{(half.to(at::kFloat) * scale).to(at::kBFloat16).sum() + scale.sum()};
  });
}

TEST(BackwardTest, PartsThatNothingWasMadeOfHaveNoGradient) {
  const at::Tensor x = leaf({6, 4});
  const at::Tensor unused = leaf({4});
  expect_torchs_bits({x, unused}, [&] {
    const at::Tensor dropped = unused * 2;
    const std::vector<at::Tensor> parts = at::split(x, 2);
    return Tensors{(parts[0] * parts[2].sigmoid()).sum()};
  });
}

TEST(BackwardTest, ViewsAndWritesInPlaceAreFollowed) {
  const at::Tensor x = leaf({4, 4});
  expect_torchs_bits({x}, [&] {
    at::Tensor y = x * 1.5;
    y.select(0, 1).mul_(2);
    y.transpose(0, 1).select(0, 2).add_(x.select(1, 0));
    return Tensors{at::softmax(y, 1).pow(2).sum()};
  });
}

TEST(BackwardTest, SeveralRootsOfAnyShapeAreDifferentiatedTogether) {
  const at::Tensor x = leaf({3, 4});
  const at::Tensor w = leaf({4, 2});
  expect_torchs_bits({x, w}, [&] {
    const at::Tensor y = at::matmul(x, w);
    return Tensors{y, at::relu(y).sum(0), y};
  });
}

TEST(BackwardTest, ARootMayBeALeaf) {
  const at::Tensor x = leaf({2, 2});
  expect_torchs_bits({x}, [&] { return Tensors{x, x * x}; });
}

TEST(BackwardTest, GradientsAddUpOverCalls) {
  const at::Tensor x = leaf({8});
  for (int i = 0; i < 2; ++i) {
    const at::Tensor loss = (x * x).sum();
    differentiate({loss}, {at::ones_like(loss)});
  }
  EXPECT_TRUE(at::equal(x.grad(), x.detach() * 4));
}

TEST(BackwardTest, AGradientHasNoGraphOfItsOwn) {
  const at::Tensor x = leaf({8});
  const at::Tensor loss = x.exp().sum();
  differentiate({loss}, {at::ones_like(loss)});
  EXPECT_FALSE(x.grad().requires_grad());
  EXPECT_TRUE(at::GradMode::is_enabled());
}

TEST(BackwardTest, WhatTheForwardKeptIsFreed) {
  const at::Tensor x = leaf({8});
  const at::Tensor loss = x.exp().sum();
  differentiate({loss}, {at::ones_like(loss)});
  EXPECT_THROW(differentiate({loss}, {at::ones_like(loss)}), c10::Error);
}

class Throwing final : public torch::autograd::Function<Throwing> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext*, const at::Tensor& x) {
    return x.clone();
  }
  static Tensors backward(torch::autograd::AutogradContext*, Tensors) {
    TORCH_CHECK(false, "no gradient today");
  }
};

TEST(BackwardTest, ANodeThatThrowsEndsItAndTheNextOneRuns) {
  const at::Tensor x = leaf({4});
  const at::Tensor loss = Throwing::apply(x).sum();
  try {
    differentiate({loss}, {at::ones_like(loss)});
    FAIL() << "nothing was thrown";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no gradient today"));
  }
  EXPECT_FALSE(x.grad().defined());
  const at::Tensor other = x.sum();
  differentiate({other}, {at::ones_like(other)});
  EXPECT_TRUE(at::equal(x.grad(), at::ones({4})));
}

TEST(BackwardTest, WhatHasNoGradientIsRefused) {
  const at::Tensor x = at::ones({2});
  EXPECT_THROW(differentiate({x}, {x}), c10::Error);
}

TEST(BackwardTest, ASeedOfAnotherShapeIsRefused) {
  const at::Tensor x = leaf({2, 3});
  EXPECT_THROW(differentiate({x * 2}, {at::ones({5})}), c10::Error);
}

TEST(BackwardTest, HooksAreRefusedForTheyWouldNotRun) {
  const at::Tensor x = leaf({2});
  const at::Tensor y = x * 2;
  y.retain_grad();
  const at::Tensor loss = y.sum();
  EXPECT_THROW(differentiate({loss}, {at::ones_like(loss)}), Error);
}

// A node that differentiates again while it is evaluated, as checkpointed blocks do.
class Nested final : public torch::autograd::Function<Nested> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x.exp();
  }
  static Tensors backward(torch::autograd::AutogradContext* context, Tensors gradients) {
    const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_(true);
    at::Tensor again;
    {
      const at::AutoGradMode grad(true);
      again = x.exp();
    }
    differentiate({again}, {gradients[0]});
    return {x.grad()};
  }
};

TEST(BackwardTest, ANodeMayDifferentiateInside) {
  const at::Tensor x = leaf({5});
  const at::Tensor loss = Nested::apply(x * 2).sum();
  differentiate({loss}, {at::ones_like(loss)});
  EXPECT_TRUE(at::equal(x.grad(), (x.detach() * 2).exp() * 2));
}

class Listener final : public ScopeListener {
 public:
  void enter_module(const char*) noexcept override {}
  void enter_phase(StepPhase) noexcept override {}
  void enter_node(const BackwardNode& node) noexcept override {
    names.emplace_back(node.name);
    ++open;
  }
  void leave_scope() noexcept override { --open; }
  std::vector<std::string> names;
  int open = 0;
};

TEST(BackwardTest, NodesAreToldInTheOrderOfTheirEvaluation) {
  const at::Tensor x = leaf({4});
  const at::Tensor loss = (x.exp() * x).sum();
  Listener listener;
  scope_listener.store(&listener);
  differentiate({loss}, {at::ones_like(loss)});
  scope_listener.store(nullptr);
  EXPECT_THAT(listener.names, ElementsAre("SumBackward0", "MulBackward0", "ExpBackward0",
                                          "torch::autograd::AccumulateGrad"));
  EXPECT_EQ(listener.open, 0);
}

}  // namespace
}  // namespace ridgeline
