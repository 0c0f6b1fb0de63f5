#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>

#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "engine/checkpoint.h"
#include "engine/scope.h"
#include "models/families.h"
#include "models/initialise.h"
#include "models/transformer_names.h"

namespace ridgeline {
namespace {

struct Layer {
  at::Tensor attention_norm, q, k, v, output;
  at::Tensor feed_forward_norm, gate, up, down;
  LayerModules modules;
};

// The residual stream and what is still to be added to it: the next norm adds and normalises in one
// op. Before the first layer nothing is pending.
struct Stream {
  at::Tensor sum;
  at::Tensor pending;
};

class Transformer final : public Model {
 public:
  Transformer(const TransformerSpec& spec, const ModelContext& context, std::uint64_t seed)
      : spec_(spec), ops_(context.ops), checkpointing_(context.activation_checkpointing) {
    Initialiser initialise(seed, context.device);
    make_weights(initialise);
    make_rope_tables();
    const TransformerNames& names = names_of(spec_.naming);
    embedding_module_ = module_of_weight(names.embedding);
    final_norm_module_ = module_of_weight(names.final_norm);
    head_module_ = module_of_weight(names.head);
  }

  at::Tensor forward(const at::Tensor& input) override {
    const at::Tensor x = features(input);
    const ModuleScope scope(head_module_);
    return at::linear(x, head_);
  }

  at::Tensor loss(const at::Tensor& input, const at::Tensor& target) override {
    const at::Tensor x = features(input);
    const ModuleScope scope(head_module_);
    return ops_.linear_cross_entropy(x, head_, target);
  }

  std::pair<at::Tensor, at::Tensor> synthetic_batch(std::uint64_t seed) const override {
    // Token 0 is padding to the workshop's model, so its data never holds it.
    const long low = spec_.naming == TransformerSpec::Naming::Llama ? 1 : 0;
    const at::Tensor rows = Initialiser(seed).integers({spec_.batch_size, spec_.context_length + 1},
                                                       low, spec_.vocab_size);
    return {rows.narrow(1, 0, spec_.context_length).contiguous(),
            rows.narrow(1, 1, spec_.context_length).contiguous()};
  }

  NamedTensors parameters() const override {
    const TransformerNames& names = names_of(spec_.naming);
    NamedTensors all{{names.embedding, embedding_}};
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      for (const auto& [name, weight] : names.layer) {
        all.emplace_back(fmt::format("{}.{}.{}", names.layers, i, name),
                         weight_of(layers_[i], weight));
      }
    }
    all.emplace_back(names.final_norm, final_norm_);
    if (!spec_.tied) all.emplace_back(names.head, head_);
    return all;
  }

  ModelEnds ends() const override {
    const TransformerNames& names = names_of(spec_.naming);
    ModelEnds ends{.inputs = {names.embedding}};
    if (!spec_.tied) ends.head = {names.head};
    return ends;
  }

  NamedTensors buffers() const override { return {}; }
  NamedTensors constants() const override { return {{"rope.cos", cos_}, {"rope.sin", sin_}}; }
  at::Tensor gradient_seed() const override { return {}; }
  void set_training(bool /*training*/) override {}

 private:
  static const at::Tensor& weight_of(const Layer& layer, LayerWeight weight) {
    switch (weight) {
      case LayerWeight::AttentionNorm:
        return layer.attention_norm;
      case LayerWeight::Q:
        return layer.q;
      case LayerWeight::K:
        return layer.k;
      case LayerWeight::V:
        return layer.v;
      case LayerWeight::Output:
        return layer.output;
      case LayerWeight::FeedForwardNorm:
        return layer.feed_forward_norm;
      case LayerWeight::Gate:
        return layer.gate;
      case LayerWeight::Up:
        return layer.up;
      case LayerWeight::Down:
        break;
    }
    return layer.down;
  }

  void make_weights(Initialiser& initialise) {
    const bool cs336 = spec_.naming == TransformerSpec::Naming::Cs336;
    constexpr double kLlamaDeviation = 0.02;
    const auto linear = [&](long in, long out) {
      return cs336 ? initialise.truncated_normal({out, in},
                                                 std::sqrt(2.0 / static_cast<double>(in + out)))
                   : initialise.normal({out, in}, kLlamaDeviation);
    };
    const long width = spec_.d_model;
    const long kv_width = width / spec_.num_heads * spec_.num_kv_heads;
    embedding_ = cs336 ? initialise.truncated_normal({spec_.vocab_size, width}, 1)
                       : initialise.normal({spec_.vocab_size, width}, kLlamaDeviation);
    for (long i = 0; i < spec_.num_layers; ++i) {
      layers_.push_back({.attention_norm = initialise.constant({width}, 1),
                         .q = linear(width, width),
                         .k = linear(width, kv_width),
                         .v = linear(width, kv_width),
                         .output = linear(width, width),
                         .feed_forward_norm = initialise.constant({width}, 1),
                         .gate = linear(width, spec_.d_ff),
                         .up = linear(width, spec_.d_ff),
                         .down = linear(spec_.d_ff, width),
                         .modules = layer_modules(spec_.naming, static_cast<std::size_t>(i))});
    }
    final_norm_ = initialise.constant({width}, 1);
    head_ = spec_.tied ? embedding_ : linear(width, spec_.vocab_size);
  }

  void make_rope_tables() {
    const long head_dim = spec_.d_model / spec_.num_heads;
    const at::Tensor exponents = at::arange(0, head_dim, 2, at::kFloat) / at::Scalar(head_dim);
    const at::Tensor frequencies = at::pow(at::Scalar(spec_.rope_theta), exponents).reciprocal();
    const at::Tensor angles =
        at::outer(at::arange(0, spec_.context_length, at::kFloat), frequencies);
    cos_ = angles.cos();
    sin_ = angles.sin();
  }

  at::Tensor features(const at::Tensor& input) {
    if (input.size(-1) > spec_.context_length) {
      throw bad_input(fmt::format("an input of {} tokens is longer than the context of {}",
                                  input.size(-1), spec_.context_length));
    }
    Stream stream{.sum = embed(input), .pending = {}};
    for (const Layer& layer : layers_)
      stream = checkpointing_ ? run_kept_small(layer, stream) : run(layer, stream);
    return normalise(stream, final_norm_, final_norm_module_).second;
  }

  at::Tensor embed(const at::Tensor& input) const {
    const ModuleScope scope(embedding_module_);
    return at::embedding(embedding_, input);
  }

  std::pair<at::Tensor, at::Tensor> normalise(const Stream& stream, const at::Tensor& weight,
                                              const std::string& module) const {
    const ModuleScope scope(module);
    const at::Tensor* pending = stream.pending.defined() ? &stream.pending : nullptr;
    return ops_.add_rms_norm(stream.sum, pending, weight, spec_.eps);
  }

  Stream run(const Layer& layer, const Stream& stream) const {
    const LayerModules& modules = layer.modules;
    const ModuleScope scope(modules.layer);
    auto [sum, normed] = normalise(stream, layer.attention_norm, modules.attention_norm);
    at::Tensor attended = attend(layer, normed);
    normed.reset();
    auto [next, next_normed] = normalise({std::move(sum), std::move(attended)},
                                         layer.feed_forward_norm, modules.feed_forward_norm);
    return {std::move(next), feed_forward(layer, next_normed)};
  }

  at::Tensor feed_forward(const Layer& layer, const at::Tensor& x) const {
    const ModuleScope scope(layer.modules.feed_forward);
    at::Tensor hidden;
    {
      const ModuleScope inner(layer.modules.gate_up);
      hidden = ops_.swiglu(x, layer.gate, layer.up);
    }
    const ModuleScope inner(layer.modules.down);
    return at::linear(hidden, layer.down);
  }

  at::Tensor attend(const Layer& layer, const at::Tensor& x) const {
    const QkvArgs weights{.q_weight = layer.q,
                          .k_weight = layer.k,
                          .v_weight = layer.v,
                          .num_heads = spec_.num_heads,
                          .num_kv_heads = spec_.num_kv_heads};
    const ModuleScope scope(layer.modules.attention);
    const long context = x.size(-2);
    const bool whole = context == spec_.context_length;
    const at::Tensor cos = whole ? cos_ : cos_.narrow(0, 0, context);
    const at::Tensor sin = whole ? sin_ : sin_.narrow(0, 0, context);
    std::tuple<at::Tensor, at::Tensor, at::Tensor> qkv;
    {
      const ModuleScope inner(layer.modules.qkv);
      qkv = ops_.qkv_rope(x, weights, {.cos = cos, .sin = sin, .layout = spec_.rope});
    }
    at::Tensor heads;
    {
      const ModuleScope inner(layer.modules.core);
      heads = std::apply(ops_.attention, qkv);
    }
    const ModuleScope inner(layer.modules.output);
    return at::linear(heads.transpose(1, 2).flatten(-2), layer.output);
  }

  Stream run_kept_small(const Layer& layer, const Stream& stream) const {
    const auto block = [this, &layer](const Tensors& inputs) -> Tensors {
      Stream out = run(layer, {inputs[0], inputs.size() > 1 ? inputs[1] : at::Tensor()});
      return {std::move(out.sum), std::move(out.pending)};
    };
    Tensors inputs{stream.sum};
    if (stream.pending.defined()) inputs.push_back(stream.pending);
    Tensors outputs = checkpoint(block, inputs);
    return {std::move(outputs[0]), std::move(outputs[1])};
  }

  TransformerSpec spec_;
  Ops ops_;
  bool checkpointing_;
  at::Tensor embedding_, final_norm_, head_;
  at::Tensor cos_, sin_;
  std::vector<Layer> layers_;
  std::string embedding_module_, final_norm_module_, head_module_;
};

}  // namespace

std::unique_ptr<Model> make_transformer(const TransformerSpec& spec, const ModelContext& context,
                                        std::uint64_t seed) {
  return std::make_unique<Transformer>(spec, context, seed);
}

}  // namespace ridgeline
