#include "data/resample_kernels.h"

namespace ridgeline {
namespace {

void horizontal(const std::uint8_t* row, const AxisWeights& axis, std::int16_t* out) {
  const int taps = 2 * axis.pairs;
  const int shift = axis.bits - kRowBits;
  for (int x = 0; x < axis.count; ++x) {
    const std::uint8_t* const pixels = row + 3 * axis.first[x];
    const std::int16_t* const weights = axis.weights + taps * x;
    for (int channel = 0; channel < 3; ++channel) {
      std::int32_t sum = 1 << (shift - 1);
      for (int t = 0; t < taps; ++t) sum += pixels[3 * t + channel] * weights[t];
      *out++ = static_cast<std::int16_t>(sum >> shift);
    }
  }
}

std::uint8_t vertical_sum(const std::int16_t* column, std::size_t stride,
                          const std::int16_t* weights, int taps, int shift) {
  std::int32_t sum = 1 << (shift - 1);
  for (int t = 0; t < taps; ++t) sum += column[static_cast<std::size_t>(t) * stride] * weights[t];
  return static_cast<std::uint8_t>(sum >> shift);
}

template <class Store>
void vertical(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
              std::size_t values, const Store& store) {
  const std::int16_t* const first =
      rows.data + static_cast<std::size_t>(axis.first[y]) * rows.stride;
  const int taps = 2 * axis.pairs;
  for (std::size_t i = 0; i < values; ++i)
    store(i, vertical_sum(first + i, rows.stride, axis.weights + taps * y, taps,
                          axis.bits + kRowBits));
}

void vertical_bytes(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                    std::size_t values, std::uint8_t* out) {
  vertical(rows, axis, y, values, [&](std::size_t i, std::uint8_t byte) { out[i] = byte; });
}

void vertical_floats(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                     std::size_t values, const ByteScaling& scaling, bool /*stream*/, float* out) {
  vertical(rows, axis, y, values,
           [&](std::size_t i, std::uint8_t byte) { out[i] = scaling.table[i % 3][byte]; });
}

void scale(const std::uint8_t* bytes, std::size_t values, const ByteScaling& scaling, float* out) {
  for (std::size_t i = 0; i < values; ++i) out[i] = scaling.table[i % 3][bytes[i]];
}

void nothing() {}

constexpr ResampleKernels kScalar{.name = "scalar",
                                  .horizontal = horizontal,
                                  .vertical_bytes = vertical_bytes,
                                  .vertical_floats = vertical_floats,
                                  .scale = scale,
                                  .fence = nothing};

}  // namespace

const ResampleKernels& scalar_kernels() { return kScalar; }

const ResampleKernels& best_kernels() {
  const ResampleKernels* const vectors = avx2_kernels();
  return vectors != nullptr ? *vectors : kScalar;
}

}  // namespace ridgeline
