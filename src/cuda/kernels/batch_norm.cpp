#include "cuda/kernels/batch_norm.h"

#include "cuda/kernels/batch_norm_schedules.h"

namespace ridgeline::kernels {
namespace {

// Up to here the one launch of the cluster schedule wins: the matrix stays in L2, and no thread
// has more than a handful of rows. Measured on an H200 with bench/kernels (bf16, C 64 to 512):
// forward 11.2 against 15.6 us at 8192 rows and 15.3 against 17.6 at 16384, but 20.2 against 17.9
// at 32768; backward 8.2 against 10.4 at 2048, but 12.2 against 11.2 at 8192.
constexpr std::int64_t kClusterForwardRows = 16384;
constexpr std::int64_t kClusterBackwardRows = 4096;
constexpr std::int64_t kClusterBytes = std::int64_t{8} << 20;

cudaError_t current_device(DeviceLimits& limits) {
  int index = 0;
  if (const cudaError_t error = cudaGetDevice(&index); error != cudaSuccess) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, index);
      error != cudaSuccess) {
    return error;
  }
  return cudaDeviceGetAttribute(&limits.major, cudaDevAttrComputeCapabilityMajor, index);
}

bool use_cluster(Schedule wanted, const BatchNormShape& shape, std::int64_t most_rows,
                 const DeviceLimits& device) {
  if (device.major < 9) return false;
  if (wanted != Schedule::Auto) return wanted == Schedule::Cluster;
  const std::int64_t bytes = shape.rows * shape.channels * 16 / elements_of_vector(shape.element);
  return shape.rows <= most_rows && bytes <= kClusterBytes;
}

}  // namespace

const char* batch_norm_obstacle(const BatchNormShape& shape) {
  if (shape.rows < 1 || shape.channels < 8) return "no rows, or fewer than 8 channels";
  if (shape.channels % 8 != 0) return "channels are not a multiple of 8";
  if (shape.channels > 32 * 4 * static_cast<std::int64_t>(kBatchNormArrivals)) {
    return "too many channels";
  }
  // Vectors are counted in 32 bits.
  if (shape.rows > (std::int64_t{1} << 31) / (shape.channels / 4)) return "too many elements";
  return nullptr;
}

std::size_t batch_norm_mask_bytes(const BatchNormShape& shape) {
  return static_cast<std::size_t>(shape.rows * shape.channels / elements_of_vector(shape.element));
}

std::size_t batch_norm_partials() {
  DeviceLimits device;
  if (current_device(device) != cudaSuccess) return 0;
  // A block a multiprocessor, each with two floats for every channel it covers, at most 32 lanes
  // of 8.
  return static_cast<std::size_t>(device.multiprocessors) * 2 * 256;
}

cudaError_t batch_norm_forward(const BatchNormForward& args, const BatchNormWorkspace& workspace,
                               cudaStream_t stream) {
  DeviceLimits device;
  if (const cudaError_t error = current_device(device); error != cudaSuccess) return error;
  if (use_cluster(args.schedule, args.shape, kClusterForwardRows, device)) {
    return cluster_forward(args, stream);
  }
  return streaming_forward(args, workspace, device, stream);
}

cudaError_t batch_norm_inference(const BatchNormInference& args, cudaStream_t stream) {
  DeviceLimits device;
  if (const cudaError_t error = current_device(device); error != cudaSuccess) return error;
  return streaming_inference(args, device, stream);
}

cudaError_t batch_norm_backward(const BatchNormBackward& args, const BatchNormWorkspace& workspace,
                                cudaStream_t stream) {
  DeviceLimits device;
  if (const cudaError_t error = current_device(device); error != cudaSuccess) return error;
  if (use_cluster(args.schedule, args.shape, kClusterBackwardRows, device)) {
    return cluster_backward(args, stream);
  }
  return streaming_backward(args, workspace, device, stream);
}

}  // namespace ridgeline::kernels
