#include "cuda/augment.h"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/augment.h"

namespace ridgeline {
namespace {

kernels::Element element_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kBFloat16:
      return kernels::Element::Bf16;
    case at::kHalf:
      return kernels::Element::Fp16;
    default:
      RIDGELINE_CHECK(tensor.scalar_type() == at::kFloat);
      return kernels::Element::Fp32;
  }
}

kernels::Augment kernel_args(const AugmentJob& job) {
  RIDGELINE_CHECK(job.images.is_contiguous() && job.out.is_contiguous());
  RIDGELINE_CHECK(job.images.scalar_type() == at::kByte && job.plans.scalar_type() == at::kInt);
  RIDGELINE_CHECK(job.plans.size(0) >= job.steps_per_epoch * job.micro_batches * job.out.size(0));
  kernels::Augment args{.images = job.images.const_data_ptr<std::uint8_t>(),
                        .labels = job.labels.const_data_ptr<std::int64_t>(),
                        .plans = static_cast<const SamplePlan*>(job.plans.const_data_ptr()),
                        .step = job.step.const_data_ptr<std::int64_t>(),
                        .steps_per_epoch = job.steps_per_epoch,
                        .batches_a_step = job.micro_batches,
                        .micro = job.micro,
                        .source_height = static_cast<int>(job.images.size(1)),
                        .source_width = static_cast<int>(job.images.size(2)),
                        .size = static_cast<int>(job.out.size(1)),
                        .batch = static_cast<int>(job.out.size(0)),
                        .resample = job.resample,
                        .element = element_of(job.out),
                        .out = job.out.mutable_data_ptr(),
                        .out_labels = job.out_labels.mutable_data_ptr<std::int64_t>()};
  std::ranges::copy(job.factor, args.factor);
  std::ranges::copy(job.offset, args.offset);
  return args;
}

}  // namespace

std::optional<std::string> cuda_augment_obstacle(const AugmentJob& job) {
  const char* const obstacle = kernels::augment_obstacle(kernel_args(job));
  return obstacle == nullptr ? std::nullopt : std::optional<std::string>(obstacle);
}

void cuda_augment(const AugmentJob& job) {
  C10_CUDA_CHECK(
      kernels::launch_augment(kernel_args(job), c10::cuda::getCurrentCUDAStream().stream()));
}

}  // namespace ridgeline
