#include "engine/checkpoint.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <gtest/gtest.h>

#include "engine/ops.h"

namespace ridgeline {
namespace {

struct Affine {
  at::Tensor weight = at::randn({6, 6}).requires_grad_(true);
  at::Tensor bias = at::randn({6}).requires_grad_(true);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const {
    return at::tanh(at::linear(x, weight, bias));
  }
};

// Gradients of weight, bias and input after a backward through `apply`.
template <class Apply>
Tensors gradients(const Affine& affine, const at::Tensor& x, Apply apply) {
  affine.weight.mutable_grad().reset();
  affine.bias.mutable_grad().reset();
  const at::Tensor input = x.detach().requires_grad_(true);
  apply(input).square().sum().backward();
  return {affine.weight.grad(), affine.bias.grad(), input.grad()};
}

TEST(CheckpointTest, GradientsAreEqualBitForBit) {
  at::manual_seed(1);
  const Affine affine;
  const at::Tensor x = at::randn({5, 6});
  const Tensors plain = gradients(affine, x, affine);
  const Tensors kept_small = gradients(affine, x, [&](const at::Tensor& input) {
    return checkpoint([&](const Tensors& in) { return Tensors{affine(in[0])}; }, {input})[0];
  });
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(at::equal(kept_small[i], plain[i])) << i;
}

TEST(CheckpointTest, ParametersGetGradientsWhenNoInputWantsOne) {
  const Affine affine;
  const at::Tensor x = at::randn({5, 6});
  checkpoint([&](const Tensors& in) { return Tensors{affine(in[0])}; }, {x})[0].sum().backward();
  EXPECT_TRUE(affine.weight.grad().defined());
  EXPECT_FALSE(x.grad().defined());
}

TEST(CheckpointTest, SeveralInputsAndOutputsWithOneUnused) {
  const at::Tensor a = at::randn({4}).requires_grad_(true);
  const at::Tensor b = at::randn({4}).requires_grad_(true);
  const Tensors out = checkpoint(
      [](const Tensors& in) {
        return Tensors{in[0] * in[1], in[0] + 1};
      },
      {a, b});
  out[0].sum().backward();
  EXPECT_TRUE(at::equal(a.grad(), b));
  EXPECT_TRUE(at::equal(b.grad(), a));
}

TEST(CheckpointTest, SecondPassSeesTheFirstPassesRandomNumbers) {
  at::manual_seed(3);
  Tensors masks;
  const at::Tensor x = at::ones({64}).requires_grad_(true);
  const auto drop = [&](const Tensors& in) {
    masks.push_back(at::bernoulli(at::full({64}, 0.5)));
    return Tensors{in[0] * masks.back()};
  };
  const at::Tensor out = checkpoint(drop, {x})[0];
  const at::Tensor between = at::rand({8});
  out.sum().backward();
  const at::Tensor after = at::rand({8});
  ASSERT_EQ(masks.size(), 2U);
  EXPECT_TRUE(at::equal(masks[0], masks[1]));
  EXPECT_TRUE(at::equal(x.grad(), masks[0]));

  at::manual_seed(3);
  (void)at::bernoulli(at::full({64}, 0.5));
  EXPECT_TRUE(at::equal(at::rand({8}), between)) << "the first pass drew once";
  EXPECT_TRUE(at::equal(at::rand({8}), after)) << "the second pass left no trace";
}

class AutocastOn {
 public:
  AutocastOn() {
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::increment_nesting();
  }
  ~AutocastOn() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
  }
  AutocastOn(const AutocastOn&) = delete;
  AutocastOn& operator=(const AutocastOn&) = delete;
};

TEST(CheckpointTest, SecondPassRunsUnderTheFirstPassesAutocast) {
  const Affine affine;
  std::vector<at::ScalarType> types;
  at::Tensor out;
  {
    const AutocastOn autocast;
    out = checkpoint(
        [&](const Tensors& in) {
          types.push_back(at::linear(in[0], affine.weight).scalar_type());
          return Tensors{affine(in[0])};
        },
        {at::randn({5, 6})})[0];
  }
  out.sum().backward();
  EXPECT_EQ(types, (std::vector{at::kBFloat16, at::kBFloat16}));
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_TRUE(at::autocast::is_autocast_cache_enabled());
}

TEST(CheckpointTest, GradientsUnderAutocastAreEqualBitForBit) {
  const Affine affine;
  const at::Tensor x = at::randn({5, 6});
  const auto under_autocast = [](auto apply) {
    return [apply](const at::Tensor& input) {
      const AutocastOn autocast;
      return apply(input);
    };
  };
  const Tensors plain = gradients(affine, x, under_autocast(affine));
  const Tensors kept_small = gradients(
      affine, x, under_autocast([&](const at::Tensor& input) {
        return checkpoint([&](const Tensors& in) { return Tensors{affine(in[0])}; }, {input})[0];
      }));
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_TRUE(at::equal(kept_small[i], plain[i])) << i;
}

TEST(CheckpointTest, ACastMadeInTheFirstPassIsNotReusedOutside) {
  const Affine affine;
  const AutocastOn autocast;
  const at::Tensor inside =
      checkpoint([&](const Tensors& in) { return Tensors{affine(in[0])}; }, {at::randn({5, 6})})[0];
  at::linear(at::randn({2, 6}), affine.weight).sum().backward();
  EXPECT_TRUE(affine.weight.grad().defined());
}

TEST(CheckpointTest, RecomputingIsTrueInTheSecondPassAlone) {
  std::vector<bool> seen;
  const at::Tensor x = at::ones({2}).requires_grad_(true);
  checkpoint(
      [&](const Tensors& in) {
        seen.push_back(recomputing());
        return Tensors{in[0] * 2};
      },
      {x})[0]
      .sum()
      .backward();
  EXPECT_EQ(seen, (std::vector{false, true}));
  EXPECT_FALSE(recomputing());
}

TEST(CheckpointTest, WithoutGradientsTheBlockRunsOnce) {
  int runs = 0;
  const at::NoGradGuard no_grad;
  const at::Tensor out =
      checkpoint([&](const Tensors& in) { return ++runs, Tensors{in[0] + 1}; }, {at::ones({2})})[0];
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(out.requires_grad());
}

TEST(CheckpointTest, AnErrorInTheSecondPassLeavesTheStateAsItWas) {
  bool fail = false;
  const at::Tensor x = at::ones({2}).requires_grad_(true);
  const at::Tensor out = checkpoint(
      [&](const Tensors& in) {
        if (fail) throw std::runtime_error("second pass");
        return Tensors{in[0] * 2};
      },
      {x})[0];
  fail = true;
  EXPECT_THROW(out.sum().backward(), std::runtime_error);
  EXPECT_FALSE(recomputing());
  EXPECT_TRUE(at::autocast::is_autocast_cache_enabled());
}

TEST(CheckpointTest, BatchNormsStatisticsMoveOnceAStep) {
  const Ops ops = plain_ops();
  const at::Tensor weight = at::ones({3}).requires_grad_(true);
  const at::Tensor bias = at::zeros({3}).requires_grad_(true);
  const at::Tensor x = at::randn({4, 3, 5, 5}).requires_grad_(true);
  at::Tensor mean = at::zeros({3});
  at::Tensor var = at::ones({3});
  at::Tensor mean_once = at::zeros({3});
  at::Tensor var_once = at::ones({3});
  (void)ops.batch_norm(
      x, {.weight = weight, .bias = bias, .running_mean = mean_once, .running_var = var_once},
      nullptr);
  checkpoint(
      [&](const Tensors& in) {
        return Tensors{ops.batch_norm_relu(in[0],
                                           {.weight = weight,
                                            .bias = bias,
                                            .running_mean = mean,
                                            .running_var = var,
                                            .update_running = !recomputing()},
                                           nullptr)};
      },
      {x})[0]
      .sum()
      .backward();
  EXPECT_TRUE(at::equal(mean, mean_once));
  EXPECT_TRUE(at::equal(var, var_once));
  EXPECT_TRUE(weight.grad().defined());
}

}  // namespace
}  // namespace ridgeline
