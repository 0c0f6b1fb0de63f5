#pragma once

#include <cstddef>
#include <cstdint>

namespace ridgeline {

// Plain pointers only: this header meets code compiled for AVX2, and an inline function of a
// container compiled there could be the one the linker keeps for everybody.

// One axis of a resize: output position i is the sum of source positions first[i] + t times
// weights[2 * pairs * i + t], t below 2 * pairs. Weights sum to 1 << bits; padding has weight 0.
struct AxisWeights {
  const std::int32_t* first = nullptr;
  const std::int16_t* weights = nullptr;
  std::int32_t count = 0;
  std::int32_t pairs = 0;
  std::int32_t bits = 0;
};

// Byte b of channel c becomes fma(b, scale[c], offset[c]); the table holds just those values, so
// that looking up and computing give the same bits. Scale and offset are repeated for eight pixels,
// the least that fills whole vectors.
struct ByteScaling {
  float scale[24] = {};
  float offset[24] = {};
  float table[3][256] = {};
};

// Fractional bits that the rows between the two passes keep: 255 << 7 still fits 16 bits signed.
inline constexpr int kRowBits = 7;
// Rows may be read this many bytes past what a position's taps need, and written past their end.
inline constexpr std::size_t kRowSlack = 16;

// Rows between the passes: row r begins at data + r * stride.
struct ResampledRows {
  const std::int16_t* data = nullptr;
  std::size_t stride = 0;
};

// The passes of a separable resize over interleaved RGB, and the last step to floats. Every
// implementation gives the bytes of the scalar one.
struct ResampleKernels {
  const char* name;
  // 3 * axis.count values in kRowBits fixed point.
  void (*horizontal)(const std::uint8_t* row, const AxisWeights& axis, std::int16_t* out);
  // Output row `y` of `axis`: `values` (3 * width) bytes, or floats. `stream` passes the caches by;
  // it needs `out` aligned to 32 bytes and a fence when all is written.
  void (*vertical_bytes)(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                         std::size_t values, std::uint8_t* out);
  void (*vertical_floats)(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                          std::size_t values, const ByteScaling& scaling, bool stream, float* out);
  void (*scale)(const std::uint8_t* bytes, std::size_t values, const ByteScaling& scaling,
                float* out);
  void (*fence)();  // makes streamed values visible to other threads
};

[[nodiscard]] const ResampleKernels& scalar_kernels();
// Null where the CPU lacks AVX2 or FMA, or the build is for another architecture.
[[nodiscard]] const ResampleKernels* avx2_kernels();
[[nodiscard]] const ResampleKernels& best_kernels();

}  // namespace ridgeline
