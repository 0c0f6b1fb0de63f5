#include <ATen/core/Tensor.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include <fmt/format.h>

#include "engine/checkpoint.h"
#include "engine/scope.h"
#include "models/families.h"
#include "models/initialise.h"
#include "models/resnet_plan.h"

namespace ridgeline {
namespace {

// A convolution and its BatchNorm.
struct Convolution {
  std::string conv_name, norm_name;
  at::Tensor weight;
  at::Tensor norm_weight, norm_bias;
  at::Tensor running_mean, running_var, batches_tracked;
  std::array<std::int64_t, 2> stride;
  std::array<std::int64_t, 2> padding;
};

struct Block {
  std::string name;
  std::vector<Convolution> convs;
  Shortcut shortcut;
  std::optional<Convolution> downsample;
  std::int64_t stride;
  std::int64_t pad_channels;  // on each side
};

class ResNet final : public Model {
 public:
  ResNet(const ResNetSpec& spec, const ModelContext& context, std::uint64_t seed)
      : spec_(spec), ops_(context.ops), checkpointing_(context.activation_checkpointing) {
    const ResNetPlan plan = plan_resnet(spec);
    Initialiser initialise(seed, context.device);
    stem_ = make_convolution(initialise, plan.stem, "conv1", "bn1");
    max_pool_ = plan.max_pool;
    for (const BlockPlan& block : plan.blocks) blocks_.push_back(make_block(initialise, block));
    make_head(initialise, plan);
    for_each_convolution(
        [&](Convolution& conv) { batches_tracked_.push_back(conv.batches_tracked); });
  }

  at::Tensor forward(const at::Tensor& input) override {
    count_batch();
    at::Tensor x = normalise_relu(stem_, convolve(stem_, input), nullptr);
    if (max_pool_) x = pool(x);
    for (Block& block : blocks_) x = checkpointing_ ? run_kept_small(block, x) : run(block, x);
    return classify(x);
  }

  at::Tensor loss(const at::Tensor& input, const at::Tensor& target) override {
    const at::Tensor logits = forward(input);
    const ModuleScope scope(loss_name_);
    return at::cross_entropy_loss(logits.to(at::kFloat), target);
  }

  std::pair<at::Tensor, at::Tensor> synthetic_batch(std::uint64_t seed) const override {
    Initialiser draw(seed);
    at::Tensor images = draw.normal({spec_.batch_size, 3, spec_.image_size, spec_.image_size}, 1)
                            .requires_grad_(false);
    return {std::move(images), draw.integers({spec_.batch_size}, 0, spec_.num_classes)};
  }

  NamedTensors parameters() const override {
    NamedTensors all;
    for_each_convolution([&](const Convolution& conv) {
      all.emplace_back(conv.conv_name + ".weight", conv.weight);
      all.emplace_back(conv.norm_name + ".weight", conv.norm_weight);
      all.emplace_back(conv.norm_name + ".bias", conv.norm_bias);
    });
    all.emplace_back(head_name_ + ".weight", head_weight_);
    all.emplace_back(head_name_ + ".bias", head_bias_);
    return all;
  }

  ModelEnds ends() const override {
    return {.head = {head_name_ + ".weight", head_name_ + ".bias"}};
  }

  NamedTensors buffers() const override {
    NamedTensors all;
    for_each_convolution([&](const Convolution& conv) {
      all.emplace_back(conv.norm_name + ".running_mean", conv.running_mean);
      all.emplace_back(conv.norm_name + ".running_var", conv.running_var);
      all.emplace_back(conv.norm_name + ".num_batches_tracked", conv.batches_tracked);
    });
    return all;
  }

  NamedTensors constants() const override { return {}; }
  at::Tensor gradient_seed() const override { return {}; }
  void set_training(bool training) override { training_ = training; }

 private:
  template <class Self, class Visit>
  static void visit_convolutions(Self& self, Visit&& visit) {
    visit(self.stem_);
    for (auto& block : self.blocks_) {
      for (auto& conv : block.convs) visit(conv);
      if (block.downsample) visit(*block.downsample);
    }
  }
  template <class Visit>
  void for_each_convolution(Visit&& visit) {
    visit_convolutions(*this, visit);
  }
  template <class Visit>
  void for_each_convolution(Visit&& visit) const {
    visit_convolutions(*this, visit);
  }

  Convolution make_convolution(Initialiser& initialise, const ConvPlan& plan, std::string conv_name,
                               std::string norm_name) const {
    // Kaiming's normal for ReLU: by fan-out in torchvision, by fan-in in the CIFAR original.
    const bool cifar = spec_.family == ResNetSpec::Family::CifarOptionA;
    const long fan = (cifar ? plan.in_channels : plan.out_channels) * plan.kernel * plan.kernel;
    const long out = plan.out_channels;
    return {.conv_name = std::move(conv_name),
            .norm_name = std::move(norm_name),
            .weight = initialise.normal({out, plan.in_channels, plan.kernel, plan.kernel},
                                        std::sqrt(2.0 / static_cast<double>(fan))),
            .norm_weight = initialise.constant({out}, 1),
            .norm_bias = initialise.constant({out}, 0),
            .running_mean = at::zeros({out}),
            .running_var = at::ones({out}),
            .batches_tracked = at::zeros({}, at::kLong),
            .stride = {plan.stride, plan.stride},
            .padding = {plan.padding(), plan.padding()}};
  }

  Block make_block(Initialiser& initialise, const BlockPlan& plan) const {
    Block block{.name = plan.name,
                .convs = {},
                .shortcut = plan.shortcut,
                .downsample = {},
                .stride = plan.downsample.stride,
                .pad_channels = (plan.downsample.out_channels - plan.downsample.in_channels) / 2};
    for (std::size_t i = 0; i < plan.convs.size(); ++i) {
      block.convs.push_back(make_convolution(initialise, plan.convs[i],
                                             fmt::format("{}.conv{}", plan.name, i + 1),
                                             fmt::format("{}.bn{}", plan.name, i + 1)));
    }
    if (plan.shortcut == Shortcut::Convolution) {
      block.downsample = make_convolution(initialise, plan.downsample, plan.name + ".downsample.0",
                                          plan.name + ".downsample.1");
    }
    return block;
  }

  void make_head(Initialiser& initialise, const ResNetPlan& plan) {
    head_name_ = plan.head_name;
    // torch.nn.Linear's default for weight and bias; the CIFAR original redraws the weight.
    const double bound = 1 / std::sqrt(static_cast<double>(plan.features));
    head_weight_ =
        spec_.family == ResNetSpec::Family::CifarOptionA
            ? initialise.normal({spec_.num_classes, plan.features}, bound * std::sqrt(2.0))
            : initialise.uniform({spec_.num_classes, plan.features}, bound);
    head_bias_ = initialise.uniform({spec_.num_classes}, bound);
  }

  // All counters in one launch; a block that is run again must not count twice, so this is not its.
  void count_batch() {
    if (!training_) return;
    const at::NoGradGuard no_grad;
    at::_foreach_add_(batches_tracked_, 1);
  }

  BatchNormArgs norm(Convolution& conv) const {
    return {.weight = conv.norm_weight,
            .bias = conv.norm_bias,
            .running_mean = conv.running_mean,
            .running_var = conv.running_var,
            .training = training_,
            .update_running = !recomputing()};
  }

  static at::Tensor convolve(const Convolution& conv, const at::Tensor& x) {
    const ModuleScope scope(conv.conv_name);
    return at::conv2d(x, conv.weight, /*bias=*/{}, conv.stride, conv.padding);
  }

  at::Tensor normalise_relu(Convolution& conv, const at::Tensor& x,
                            const at::Tensor* residual) const {
    const ModuleScope scope(conv.norm_name);
    return ops_.batch_norm_relu(x, norm(conv), residual);
  }

  at::Tensor pool(const at::Tensor& x) const {
    const ModuleScope scope(pool_name_);
    return at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  }

  at::Tensor classify(const at::Tensor& x) const {
    const ModuleScope scope(head_name_);
    return at::linear(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1), head_weight_, head_bias_);
  }

  at::Tensor run(Block& block, const at::Tensor& input) const {
    const ModuleScope scope(block.name);
    at::Tensor x = input;
    for (std::size_t i = 0; i + 1 < block.convs.size(); ++i) {
      Convolution& conv = block.convs[i];
      x = normalise_relu(conv, convolve(conv, x), nullptr);
    }
    Convolution& last = block.convs.back();
    x = convolve(last, x);
    const at::Tensor residual = shortcut(block, input);
    return normalise_relu(last, x, &residual);
  }

  at::Tensor shortcut(Block& block, const at::Tensor& input) const {
    switch (block.shortcut) {
      case Shortcut::Identity:
        return input;
      case Shortcut::Convolution:
        return project(*block.downsample, input);
      case Shortcut::PadChannels:
        break;
    }
    const at::Tensor sampled =
        input.slice(2, 0, std::nullopt, block.stride).slice(3, 0, std::nullopt, block.stride);
    return at::constant_pad_nd(sampled, {0, 0, 0, 0, block.pad_channels, block.pad_channels});
  }

  at::Tensor project(Convolution& conv, const at::Tensor& input) const {
    const at::Tensor x = convolve(conv, input);
    const ModuleScope scope(conv.norm_name);
    return ops_.batch_norm(x, norm(conv), nullptr);
  }

  at::Tensor run_kept_small(Block& block, const at::Tensor& input) const {
    return checkpoint(
        [this, &block](const Tensors& inputs) { return Tensors{run(block, inputs[0])}; },
        {input})[0];
  }

  ResNetSpec spec_;
  Ops ops_;
  bool checkpointing_;
  bool training_ = true;
  bool max_pool_ = false;
  Convolution stem_;
  std::vector<Block> blocks_;
  std::string head_name_;
  std::string pool_name_ = "maxpool";
  std::string loss_name_ = "loss";
  at::Tensor head_weight_, head_bias_;
  Tensors batches_tracked_;
};

}  // namespace

std::unique_ptr<Model> make_resnet(const ResNetSpec& spec, const ModelContext& context,
                                   std::uint64_t seed) {
  return std::make_unique<ResNet>(spec, context, seed);
}

}  // namespace ridgeline
