#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "engine/scope.h"
#include "models/families.h"
#include "models/initialise.h"

namespace ridgeline {
namespace {

// Attention alone. Queries, keys and values are its parameters, so that they get gradients; the
// backward starts from a fixed random gradient of the output's shape.
class Attention final : public Model {
 public:
  Attention(const AttentionSpec& spec, const ModelContext& context, std::uint64_t seed)
      : causal_(spec.causal), ops_(context.ops) {
    Initialiser initialise(seed, context.device);
    const std::array<std::int64_t, 4> sizes{spec.batch_size, spec.num_heads, spec.context_length,
                                            spec.head_dim};
    q_ = initialise.normal(sizes, 1);
    k_ = initialise.normal(sizes, 1);
    v_ = initialise.normal(sizes, 1);
    seed_ = initialise.normal(sizes, 1).requires_grad_(false);
  }

  at::Tensor forward(const at::Tensor& /*input*/) override {
    const ModuleScope scope(name_);
    if (causal_) return ops_.attention(q_, k_, v_);
    return at::scaled_dot_product_attention(q_, k_, v_);
  }
  at::Tensor loss(const at::Tensor& /*input*/, const at::Tensor& /*target*/) override { return {}; }
  std::pair<at::Tensor, at::Tensor> synthetic_batch(std::uint64_t /*seed*/) const override {
    return {at::empty({0}), {}};
  }
  NamedTensors parameters() const override { return {{"q", q_}, {"k", k_}, {"v", v_}}; }
  ModelEnds ends() const override { return {.inputs = {"q", "k", "v"}}; }
  NamedTensors buffers() const override { return {}; }
  NamedTensors constants() const override { return {{"gradient", seed_}}; }
  at::Tensor gradient_seed() const override { return seed_; }
  void set_training(bool /*training*/) override {}

 private:
  std::string name_ = "attention";
  bool causal_;
  Ops ops_;
  at::Tensor q_, k_, v_, seed_;
};

}  // namespace

std::unique_ptr<Model> make_attention(const AttentionSpec& spec, const ModelContext& context,
                                      std::uint64_t seed) {
  return std::make_unique<Attention>(spec, context, seed);
}

}  // namespace ridgeline
