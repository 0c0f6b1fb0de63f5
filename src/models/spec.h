#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "engine/ops.h"
#include "engine/settings.h"

namespace ridgeline {

// What a model is, as numbers: enough to build it, to count it and to predict its memory, without
// torch. `label` is the name rows carry: "small", "tiny-llama", "resnet18".
struct TransformerSpec {
  enum class Naming { Cs336, Llama };  // whose parameter names
  std::string label;
  long vocab_size = 10000;
  long d_model = 768;
  long d_ff = 3072;
  long num_layers = 12;
  long num_heads = 12;
  long num_kv_heads = 12;
  long context_length = 256;
  long batch_size = 4;
  bool tied = false;
  RopeLayout rope = RopeLayout::Interleaved;
  double rope_theta = 1e4;
  double eps = 1e-5;
  Naming naming = Naming::Cs336;
};

struct ResNetSpec {
  enum class Stem { ImageNet, Cifar };  // 7x7 stride 2 and max-pool, or 3x3 stride 1
  enum class Family { Torchvision, CifarOptionA };
  std::string label;
  Family family = Family::Torchvision;
  int depth = 18;
  Stem stem = Stem::ImageNet;
  long num_classes = 1000;
  long image_size = 224;
  long batch_size = 4;
};

// softmax(q k^T) v alone.
struct AttentionSpec {
  std::string label = "attention";
  long batch_size = 8;
  long num_heads = 1;
  long head_dim = 64;
  long context_length = 256;
  bool causal = true;
};

struct InputShape {
  std::vector<long> sizes;
  std::string dtype;  // "float32", "int64", ...
};

// A TorchScript .pt or AOTInductor .pt2 file and what to feed it.
struct FileSpec {
  std::string label;
  std::string path;
  std::vector<InputShape> inputs;
};

using ModelSpec = std::variant<TransformerSpec, ResNetSpec, AttentionSpec, FileSpec>;

// Work of one phase: floating-point operations executed (a multiply-add is two) and the fewest
// bytes that must cross main memory. docs/cost_model.md derives each.
struct PhaseCost {
  Flop flop;
  Bytes bytes;
};
struct StepCost {
  PhaseCost forward{};
  PhaseCost backward{};
  PhaseCost optimizer{};
};

// What a step keeps in memory, by kind, and the most of it that is alive at one time. The parts do
// not add up to the peak: gradients appear while activations go.
struct MemoryNeed {
  Bytes parameters;  // with buffers and constants
  Bytes batch;       // inputs and targets of all micro-batches
  Bytes gradients;
  Bytes optimizer_state;
  Bytes activations;  // saved for the backward; without one, the most alive at one time
  Bytes peak;
  // What has to fit.
  [[nodiscard]] constexpr Bytes total() const { return peak; }
};

// For the whole step, all accumulated micro-batches together; phases that the extent leaves out
// cost nothing. Absent for FileSpec: nothing is known.
[[nodiscard]] std::optional<std::int64_t> parameter_count(const ModelSpec& spec);
[[nodiscard]] std::optional<StepCost> step_cost(const ModelSpec& spec, const RunSettings& settings);
[[nodiscard]] std::optional<MemoryNeed> memory_need(const ModelSpec& spec,
                                                    const RunSettings& settings);
// The products that the mathematics asks for: what step_cost counts, without recomputation. MFU is
// this over time and peak.
[[nodiscard]] std::optional<Flop> model_flop(const ModelSpec& spec, const RunSettings& settings);

// Throws Error(BadInput) when dimensions are not positive, heads do not divide, and the like.
void validate(const ModelSpec& spec);

}  // namespace ridgeline
