#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline {

enum class DeviceKind { Cpu, Cuda };
struct Device {
  DeviceKind kind = DeviceKind::Cpu;
  int index = 0;
  bool operator==(const Device&) const = default;
};

// Bf16 and Fp16 are autocast with fp32 weights; Bf16Pure keeps the weights in bf16 too.
enum class Precision { Fp32, Tf32, Bf16, Fp16, Bf16Pure };
enum class Mode { Eager, Graph };     // Graph: the whole step as one CUDA graph
enum class Kernels { Plain, Fused };  // which version of the composite ops models call
// Muon: for hidden matrices; what is none goes by the family's usual optimizer beside it.
enum class OptimizerKind { Sgd, Adam, AdamW, Muon };

// How much of a step runs: each extent includes those before it.
enum class Extent { Inference, Forward, Backward, Step };

// How a model is run, apart from what the model is.
struct RunSettings {
  Device device{};
  Precision precision = Precision::Fp32;
  Mode mode = Mode::Eager;
  Kernels kernels = Kernels::Plain;
  OptimizerKind optimizer = OptimizerKind::AdamW;
  Extent extent = Extent::Step;
  bool channels_last = false;
  bool activation_checkpointing = false;
  bool deterministic = false;
  bool cudnn = true;  // false: LibTorch's own kernels in the place of cuDNN's
  bool cudnn_benchmark = false;
  bool cold_cache = false;  // flush the last-level cache before every step
  int accumulation = 1;     // micro-batches a step
  int threads = 0;          // 0: what the library picks
  std::uint64_t seed = 42;
};

[[nodiscard]] std::string_view name_of(DeviceKind kind);
[[nodiscard]] std::string_view name_of(Precision precision);
[[nodiscard]] std::string_view name_of(Mode mode);
[[nodiscard]] std::string_view name_of(Kernels kernels);
[[nodiscard]] std::string_view name_of(OptimizerKind kind);
[[nodiscard]] std::string_view name_of(Extent extent);
[[nodiscard]] std::string name_of(const Device& device);  // "cpu", "cuda:0"
// The dtype whose matrix peak bounds a row: what its products run in.
[[nodiscard]] std::string_view peak_dtype(Precision precision);

// Each throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] Device parse_device(std::string_view word);  // "auto" is resolved by the caller
[[nodiscard]] Precision parse_precision(std::string_view word);
[[nodiscard]] Mode parse_mode(std::string_view word);
[[nodiscard]] Kernels parse_kernels(std::string_view word);
[[nodiscard]] OptimizerKind parse_optimizer(std::string_view word);
[[nodiscard]] Extent parse_extent(std::string_view word);

}  // namespace ridgeline
