#include "cuda/fused_batch_norm.h"

#include <ATen/SequenceNumber.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "core/error.h"
#include "cuda/kernels/batch_norm.h"

namespace ridgeline {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Ops are bare function pointers, so that what to fall back to has to be kept beside them.
Ops& fallback() {
  static Ops ops{};
  return ops;
}

std::optional<kernels::Element> element_of(at::ScalarType type) {
  switch (type) {
    case at::kBFloat16:
      return kernels::Element::Bf16;
    case at::kHalf:
      return kernels::Element::Fp16;
    case at::kFloat:
      return kernels::Element::Fp32;
    default:
      return std::nullopt;
  }
}

bool aligned(const at::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.const_data_ptr()) % 16 == 0;
}

bool channels_last(const at::Tensor& x) {
  return x.defined() && x.is_cuda() && x.dim() == 4 && aligned(x) &&
         x.is_contiguous(at::MemoryFormat::ChannelsLast);
}

bool channel_vector(const at::Tensor& vector, const at::Tensor& x) {
  return vector.defined() && vector.device() == x.device() && vector.scalar_type() == at::kFloat &&
         vector.dim() == 1 && vector.size(0) == x.size(1) && vector.is_contiguous() &&
         aligned(vector);
}

kernels::BatchNormShape shape_of(const at::Tensor& x) {
  return {.rows = x.size(0) * x.size(2) * x.size(3),
          .channels = x.size(1),
          .element = element_of(x.scalar_type()).value()};
}

bool takes(const at::Tensor& x, const BatchNormArgs& args, const at::Tensor* residual) {
  if (!channels_last(x) || !element_of(x.scalar_type())) return false;
  if (residual != nullptr &&
      !(channels_last(*residual) && residual->sizes() == x.sizes() &&
        residual->scalar_type() == x.scalar_type() && residual->device() == x.device())) {
    return false;
  }
  for (const at::Tensor* vector : {&args.weight, &args.bias, &std::as_const(args.running_mean),
                                   &std::as_const(args.running_var)}) {
    if (!channel_vector(*vector, x)) return false;
  }
  const kernels::BatchNormShape shape = shape_of(x);
  // One row has no variance: the plain op refuses it.
  return kernels::batch_norm_obstacle(shape) == nullptr && (shape.rows > 1 || !args.training);
}

// Counters that every launch leaves at zero again, so a stream needs them once. Kept until the
// process ends: at exit the driver may be gone before this.
unsigned* arrivals_of(const c10::cuda::CUDAStream& stream) {
  static auto& held = *new std::map<std::pair<int, cudaStream_t>, at::Tensor>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  at::Tensor& arrivals = held[{stream.device_index(), stream.stream()}];
  if (!arrivals.defined()) {
    arrivals = at::zeros({static_cast<std::int64_t>(kernels::kBatchNormArrivals)},
                         at::TensorOptions(stream.device()).dtype(at::kInt));
  }
  return static_cast<unsigned*>(arrivals.mutable_data_ptr());
}

struct Workspace {
  at::Tensor partials;
  kernels::BatchNormWorkspace pointers;
};

Workspace make_workspace(const at::Tensor& x, const c10::cuda::CUDAStream& stream) {
  const auto size = static_cast<std::int64_t>(kernels::batch_norm_partials());
  Workspace workspace;
  workspace.partials = at::empty({size}, x.options().dtype(at::kFloat));
  workspace.pointers = {.partials = workspace.partials.mutable_data_ptr<float>(),
                        .arrivals = arrivals_of(stream)};
  return workspace;
}

at::Tensor empty_vector(const at::Tensor& x) {
  return at::empty({x.size(1)}, x.options().dtype(at::kFloat));
}

struct Options {
  bool relu = false;
  bool keep_mask = false;
};

at::Tensor infer(const at::Tensor& x, const BatchNormArgs& args, const at::Tensor* residual,
                 bool relu) {
  const c10::cuda::CUDAGuard on_device(x.device());
  at::Tensor y = at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast);
  C10_CUDA_CHECK(kernels::batch_norm_inference(
      {.shape = shape_of(x),
       .x = x.const_data_ptr(),
       .residual = residual != nullptr ? residual->const_data_ptr() : nullptr,
       .weight = args.weight.const_data_ptr<float>(),
       .bias = args.bias.const_data_ptr<float>(),
       .mean = args.running_mean.const_data_ptr<float>(),
       .variance = args.running_var.const_data_ptr<float>(),
       .y = y.mutable_data_ptr(),
       .eps = static_cast<float>(args.eps),
       .relu = relu},
      c10::cuda::getCurrentCUDAStream(x.get_device())));
  return y;
}

class FusedBatchNorm : public torch::autograd::Function<FusedBatchNorm> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, const std::optional<at::Tensor>& residual,
                          const BatchNormArgs* args, const Options& options);
  static variable_list backward(AutogradContext* context, const variable_list& gradients);
};

Variable FusedBatchNorm::forward(AutogradContext* context, const Variable& x,
                                 const Variable& weight, const Variable& bias,
                                 const std::optional<at::Tensor>& residual,
                                 const BatchNormArgs* args, const Options& options) {
  const c10::cuda::CUDAGuard on_device(x.device());
  const auto stream = c10::cuda::getCurrentCUDAStream(x.get_device());
  const kernels::BatchNormShape shape = shape_of(x);
  const Workspace workspace = make_workspace(x, stream);
  at::Tensor y = at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast);
  const at::Tensor mean = empty_vector(x);
  const at::Tensor invstd = empty_vector(x);
  at::Tensor mask;
  if (options.keep_mask) {
    mask = at::empty({static_cast<std::int64_t>(kernels::batch_norm_mask_bytes(shape))},
                     x.options().dtype(at::kByte));
  }
  C10_CUDA_CHECK(kernels::batch_norm_forward(
      {.shape = shape,
       .x = x.const_data_ptr(),
       .residual = residual ? residual->const_data_ptr() : nullptr,
       .weight = weight.const_data_ptr<float>(),
       .bias = bias.const_data_ptr<float>(),
       .running_mean =
           args->update_running ? args->running_mean.mutable_data_ptr<float>() : nullptr,
       .running_var = args->update_running ? args->running_var.mutable_data_ptr<float>() : nullptr,
       .mean = mean.mutable_data_ptr<float>(),
       .invstd = invstd.mutable_data_ptr<float>(),
       .y = y.mutable_data_ptr(),
       .mask = mask.defined() ? mask.mutable_data_ptr<std::uint8_t>() : nullptr,
       .momentum = static_cast<float>(args->momentum),
       .eps = static_cast<float>(args->eps),
       .relu = options.relu},
      workspace.pointers, stream));
  context->save_for_backward({x, weight, bias, mean, invstd, mask});
  context->saved_data["relu"] = options.relu;
  context->saved_data["residual"] = residual.has_value();
  return y;
}

variable_list FusedBatchNorm::backward(AutogradContext* context, const variable_list& gradients) {
  const variable_list saved = context->get_saved_variables();
  const at::Tensor& x = saved[0];
  const at::Tensor& mask = saved[5];
  const bool relu = context->saved_data["relu"].toBool();
  const bool residual = context->saved_data["residual"].toBool();
  const c10::cuda::CUDAGuard on_device(x.device());
  const auto stream = c10::cuda::getCurrentCUDAStream(x.get_device());
  // After pooling and the like the gradient may be expanded or in another layout.
  const at::Tensor dy = gradients[0].to(x.scalar_type()).contiguous(at::MemoryFormat::ChannelsLast);
  RIDGELINE_CHECK(aligned(dy));

  RECORD_FUNCTION("ridgeline::batch_norm_backward",
                  (std::vector<c10::IValue>{dy, x, saved[1], saved[3], saved[4], mask}));

  const kernels::BatchNormShape shape = shape_of(x);
  const Workspace workspace = make_workspace(x, stream);
  const auto gate = !relu            ? kernels::Gate::Open
                    : mask.defined() ? kernels::Gate::Mask
                                     : kernels::Gate::Recompute;
  const at::Tensor dx = at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast);
  const at::Tensor d_weight = empty_vector(x);
  const at::Tensor d_bias = empty_vector(x);
  at::Tensor d_residual;
  if (residual) {
    d_residual = gate == kernels::Gate::Mask
                     ? at::empty(x.sizes(), x.options(), at::MemoryFormat::ChannelsLast)
                     : dy;
  }
  C10_CUDA_CHECK(kernels::batch_norm_backward(
      {.shape = shape,
       .gate = gate,
       .dy = dy.const_data_ptr(),
       .x = x.const_data_ptr(),
       .mask = mask.defined() ? mask.const_data_ptr<std::uint8_t>() : nullptr,
       .weight = saved[1].const_data_ptr<float>(),
       .bias = saved[2].const_data_ptr<float>(),
       .mean = saved[3].const_data_ptr<float>(),
       .invstd = saved[4].const_data_ptr<float>(),
       .dx = dx.mutable_data_ptr(),
       .d_residual = gate == kernels::Gate::Mask ? d_residual.mutable_data_ptr() : nullptr,
       .d_weight = d_weight.mutable_data_ptr<float>(),
       .d_bias = d_bias.mutable_data_ptr<float>()},
      workspace.pointers, stream));
  return {dx, d_weight, d_bias, d_residual, Variable(), Variable()};
}

bool wants_gradient(const at::Tensor& x, const BatchNormArgs& args, const at::Tensor* residual) {
  return at::GradMode::is_enabled() &&
         (x.requires_grad() || args.weight.requires_grad() || args.bias.requires_grad() ||
          (residual != nullptr && residual->requires_grad()));
}

template <bool kRelu>
at::Tensor run(const at::Tensor& x, const BatchNormArgs& args, const at::Tensor* residual) {
  const auto plain = kRelu ? fallback().batch_norm_relu : fallback().batch_norm;
  if (!takes(x, args, residual)) return plain(x, args, residual);
  const bool gradient = wants_gradient(x, args, residual);
  // Frozen statistics under a gradient have another backward; rare enough for the plain op.
  if (!args.training) return gradient ? plain(x, args, residual) : infer(x, args, residual, kRelu);
  const std::optional<at::Tensor> added =
      residual != nullptr ? std::optional(*residual) : std::nullopt;
  const Options options{.relu = kRelu, .keep_mask = kRelu && residual != nullptr && gradient};
  // The number is the one that the node of the backward is about to get.
  RECORD_FUNCTION("ridgeline::batch_norm",
                  (std::vector<c10::IValue>{x, args.weight, args.bias, added}),
                  static_cast<std::int64_t>(at::sequence_number::peek()));
  return FusedBatchNorm::apply(x, args.weight, args.bias, added, &args, options);
}

}  // namespace

Ops with_fused_batch_norm(const Ops& plain) {
  fallback() = plain;
  Ops ops = plain;
  ops.batch_norm = run<false>;
  ops.batch_norm_relu = run<true>;
  return ops;
}

}  // namespace ridgeline
