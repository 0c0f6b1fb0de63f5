#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

// BatchNorm over the rows of a row-major [rows, channels] matrix, which is what a channels-last
// image batch is (rows = N * H * W), fused with the ReLU and the residual addition around it.
// Every function is asynchronous on `stream`, deterministic, and returns the launch's error.
namespace ridgeline::kernels {

enum class Element { Bf16, Fp16, Fp32 };

// Cluster: one launch, a thread-block cluster a channel slab; for what fits in L2. Streaming: one
// launch for the statistics, one to apply them, at memory bandwidth. Auto picks by size and device.
enum class Schedule { Auto, Streaming, Cluster };

struct BatchNormShape {
  std::int64_t rows = 0;
  std::int64_t channels = 0;
  Element element = Element::Bf16;
};

// Null when the kernels take this shape; else why not.
[[nodiscard]] const char* batch_norm_obstacle(const BatchNormShape& shape);

// One byte for every 16 bytes of the matrix, a bit an element: where the ReLU let the value
// through.
[[nodiscard]] std::size_t batch_norm_mask_bytes(const BatchNormShape& shape);

// Partial sums of blocks, and how many blocks have delivered theirs. `arrivals` must be zero before
// its first use and is zero again after every launch; launches that may overlap need their own.
struct BatchNormWorkspace {
  float* partials = nullptr;
  unsigned* arrivals = nullptr;
};
inline constexpr std::size_t kBatchNormArrivals = 1024;  // elements of `arrivals`
// Elements of `partials`, enough for every shape on the current device; 0 when there is none.
[[nodiscard]] std::size_t batch_norm_partials();

// y = relu?((x - mean) * invstd * weight + bias + residual?), statistics over the rows of this x.
// Traffic in elements of x: Streaming reads 2 (+ 1 residual), writes 1 (+ 1/16 of them in mask
// bytes for bf16); Cluster reads x once from memory.
struct BatchNormForward {
  BatchNormShape shape;
  const void* x = nullptr;
  const void* residual = nullptr;  // null: none
  const float* weight = nullptr;
  const float* bias = nullptr;
  float* running_mean = nullptr;  // null: not updated
  float* running_var = nullptr;
  float* mean = nullptr;  // out, for the backward
  float* invstd = nullptr;
  void* y = nullptr;
  std::uint8_t* mask = nullptr;  // null: not kept
  float momentum = 0.1F;
  float eps = 1e-5F;
  bool relu = false;
  Schedule schedule = Schedule::Auto;
};
[[nodiscard]] cudaError_t batch_norm_forward(const BatchNormForward& args,
                                             const BatchNormWorkspace& workspace,
                                             cudaStream_t stream);

// The same with given statistics: one pass, reads 1 (+ 1 residual), writes 1.
struct BatchNormInference {
  BatchNormShape shape;
  const void* x = nullptr;
  const void* residual = nullptr;
  const float* weight = nullptr;
  const float* bias = nullptr;
  const float* mean = nullptr;
  const float* variance = nullptr;
  void* y = nullptr;
  float eps = 1e-5F;
  bool relu = false;
};
[[nodiscard]] cudaError_t batch_norm_inference(const BatchNormInference& args, cudaStream_t stream);

// Which elements the ReLU stopped: none (there was no ReLU), those it would stop again when
// computed from x (no residual), or those whose bit in the forward's mask is zero.
enum class Gate { Open, Recompute, Mask };

// Streaming reads 4 elements (dy and x in both passes), writes 1, and 1 more for d_residual;
// Cluster reads dy and x once from memory.
struct BatchNormBackward {
  BatchNormShape shape;
  Gate gate = Gate::Open;
  const void* dy = nullptr;
  const void* x = nullptr;
  const std::uint8_t* mask = nullptr;  // for Gate::Mask
  const float* weight = nullptr;
  const float* bias = nullptr;  // for Gate::Recompute
  const float* mean = nullptr;
  const float* invstd = nullptr;
  void* dx = nullptr;
  void* d_residual = nullptr;  // null: not wanted; only with Gate::Mask, else it is dy itself
  float* d_weight = nullptr;
  float* d_bias = nullptr;
  Schedule schedule = Schedule::Auto;
};
[[nodiscard]] cudaError_t batch_norm_backward(const BatchNormBackward& args,
                                              const BatchNormWorkspace& workspace,
                                              cudaStream_t stream);

}  // namespace ridgeline::kernels
