#include "cuda/kernels/augment.h"
#include "cuda/kernels/dispatch.cuh"
#include "cuda/kernels/elements.cuh"

namespace ridgeline::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kBands = 4;  // blocks an image, each a band of its rows
constexpr int kChannels = 3;
constexpr std::size_t kMostShared = 96 * 1024;

struct Taps {
  int low;
  int high;
  float part;
};

__device__ Taps taps_of(int at, float scale, int source) {
  const float place = (static_cast<float>(at) + 0.5F) * scale - 0.5F;
  const int low = static_cast<int>(floorf(place));
  return {max(0, min(low, source - 1)), max(0, min(low + 1, source - 1)),
          place - static_cast<float>(low)};
}

__device__ const SamplePlan& plan_of(const Augment& args, int sample) {
  const std::int64_t step = *args.step % args.steps_per_epoch;
  return args.plans[(step * args.batches_a_step + args.micro) * args.batch + sample];
}

__device__ bool is_cut(const SamplePlan& plan, int y, int x) {
  return y >= plan.cut_top && y < plan.cut_top + plan.cut_height && x >= plan.cut_left &&
         x < plan.cut_left + plan.cut_width;
}

// Factors and offsets in the order in which a vector that starts at channel `phase` meets them.
struct Normaliser {
  __device__ Normaliser(const Augment& args, int phase) {
#pragma unroll
    for (int i = 0; i < kChannels; ++i) {
      const int c = (phase + i) % kChannels;
      factor[i] = c == 0 ? args.factor[0] : c == 1 ? args.factor[1] : args.factor[2];
      offset[i] = c == 0 ? args.offset[0] : c == 1 ? args.offset[1] : args.offset[2];
    }
  }
  float factor[kChannels];
  float offset[kChannels];
};

// Normalises, cuts out and stores vector `column` of output row `y`.
template <class T>
__device__ void finish(const Augment& args, const SamplePlan& plan, int sample, int y, int column,
                       float (&values)[T::kVector]) {
  constexpr int V = T::kVector;
  const int first = column * V;
  const Normaliser normaliser(args, first % kChannels);
#pragma unroll
  for (int i = 0; i < V; ++i)
    values[i] = values[i] * normaliser.factor[i % kChannels] + normaliser.offset[i % kChannels];
  if (plan.cut_height > 0) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      if (is_cut(plan, y, (first + i) / kChannels)) values[i] = 0;
    }
  }
  const int vectors = args.size * kChannels / V;
  static_cast<uint4*>(
      args.out)[(static_cast<std::size_t>(sample) * args.size + y) * vectors + column] =
      pack(T{}, values);
}

// The rows of the part that a band needs are first resampled across, into shared memory; each
// output row is then a mix of two of them.
template <class T>
__global__ void __launch_bounds__(kThreads) resample_kernel(Augment args) {
  constexpr int V = T::kVector;
  extern __shared__ uint4 shared[];
  auto* const rows = reinterpret_cast<__half*>(shared);
  const int sample = static_cast<int>(blockIdx.x);
  const SamplePlan plan = plan_of(args, sample);
  if (blockIdx.y == 0 && threadIdx.x == 0) args.out_labels[sample] = args.labels[plan.image];

  const int width = args.size * kChannels;
  const int vectors = width / V;
  const int first_y = static_cast<int>(blockIdx.y) * args.size / kBands;
  const int end_y = (static_cast<int>(blockIdx.y) + 1) * args.size / kBands;
  const float down = static_cast<float>(plan.height) / static_cast<float>(args.size);
  const float across = static_cast<float>(plan.width) / static_cast<float>(args.size);
  const int first_row = taps_of(first_y, down, plan.height).low;
  const int end_row = taps_of(end_y - 1, down, plan.height).high + 1;

  const std::uint8_t* const part =
      args.images +
      (static_cast<std::size_t>(plan.image) * args.source_height + plan.top) * args.source_width *
          kChannels +
      plan.left * kChannels;
  for (int x = static_cast<int>(threadIdx.x); x < args.size; x += kThreads) {
    const Taps taps = taps_of(plan.flip != 0 ? args.size - 1 - x : x, across, plan.width);
    for (int row = first_row; row < end_row; ++row) {
      const std::uint8_t* const line =
          part + static_cast<std::size_t>(row) * args.source_width * kChannels;
#pragma unroll
      for (int c = 0; c < kChannels; ++c) {
        const auto low = static_cast<float>(__ldg(line + taps.low * kChannels + c));
        const auto high = static_cast<float>(__ldg(line + taps.high * kChannels + c));
        rows[(row - first_row) * width + x * kChannels + c] =
            __float2half_rn(low + (high - low) * taps.part);
      }
    }
  }
  __syncthreads();

  const int work = (end_y - first_y) * vectors;
  for (int item = static_cast<int>(threadIdx.x); item < work; item += kThreads) {
    const int y = first_y + item / vectors;
    const int column = item % vectors;
    const Taps taps = taps_of(y, down, plan.height);
    const auto* const upper =
        reinterpret_cast<const __half2*>(rows + (taps.low - first_row) * width) + column * (V / 2);
    const auto* const lower =
        reinterpret_cast<const __half2*>(rows + (taps.high - first_row) * width) + column * (V / 2);
    float values[V];
#pragma unroll
    for (int i = 0; i < V / 2; ++i) {
      const float2 a = __half22float2(upper[i]);
      const float2 b = __half22float2(lower[i]);
      values[2 * i] = a.x + (b.x - a.x) * taps.part;
      values[2 * i + 1] = a.y + (b.y - a.y) * taps.part;
    }
    finish<T>(args, plan, sample, y, column, values);
  }
}

// For less than one image beyond it.
__device__ int mirrored(int at, int size) {
  const int from_start = abs(at);
  return from_start < size ? from_start : 2 * (size - 1) - from_start;
}

template <class T>
__global__ void __launch_bounds__(kThreads) crop_kernel(Augment args) {
  constexpr int V = T::kVector;
  const int sample = static_cast<int>(blockIdx.x);
  const SamplePlan plan = plan_of(args, sample);
  if (threadIdx.x == 0) args.out_labels[sample] = args.labels[plan.image];
  const std::uint8_t* const image = args.images + static_cast<std::size_t>(plan.image) *
                                                      args.source_height * args.source_width *
                                                      kChannels;
  const int vectors = args.size * kChannels / V;
  for (int item = static_cast<int>(threadIdx.x); item < args.size * vectors; item += kThreads) {
    const int y = item / vectors;
    const int column = item % vectors;
    const int row = plan.reflect != 0 ? mirrored(plan.top + y, args.source_height) : plan.top + y;
    float values[V];
#pragma unroll
    for (int i = 0; i < V; ++i) {
      const int element = column * V + i;
      const int x = element / kChannels;
      const int beside = plan.left + (plan.flip != 0 ? args.size - 1 - x : x);
      const int from = plan.reflect != 0 ? mirrored(beside, args.source_width) : beside;
      const bool inside =
          row >= 0 && row < args.source_height && from >= 0 && from < args.source_width;
      values[i] =
          inside ? static_cast<float>(__ldg(image + (row * args.source_width + from) * kChannels +
                                            element % kChannels))
                 : 0.F;
    }
    finish<T>(args, plan, sample, y, column, values);
  }
}

// The most rows of a part that one band can need, resampled across.
std::size_t shared_bytes(const Augment& args) {
  const int rows = args.source_height / kBands + 3;
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(args.size) * kChannels *
         sizeof(__half);
}

template <class T>
cudaError_t launch(const Augment& args, cudaStream_t stream) {
  const auto batch = static_cast<unsigned>(args.batch);
  if (!args.resample) {
    crop_kernel<T><<<batch, kThreads, 0, stream>>>(args);
    return cudaGetLastError();
  }
  const std::size_t bytes = shared_bytes(args);
  if (bytes > 48 * 1024) {
    const cudaError_t error = cudaFuncSetAttribute(
        resample_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    if (error != cudaSuccess) return error;
  }
  resample_kernel<T><<<dim3(batch, kBands), kThreads, bytes, stream>>>(args);
  return cudaGetLastError();
}

}  // namespace

const char* augment_obstacle(const Augment& args) {
  if (args.size % 8 != 0) return "the output's side is no multiple of 8";
  if (!args.resample) return nullptr;
  if (args.source_height > args.size || args.source_width > args.size)
    return "images larger than the output would be shrunk, which this kernel does not do";
  if (shared_bytes(args) > kMostShared) return "the images are too large for shared memory";
  return nullptr;
}

cudaError_t launch_augment(const Augment& args, cudaStream_t stream) {
  if (args.batch == 0) return cudaSuccess;
  return with_element(args.element,
                      [&](auto type) { return launch<decltype(type)>(args, stream); });
}

}  // namespace ridgeline::kernels
