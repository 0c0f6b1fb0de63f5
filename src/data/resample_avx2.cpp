#include "data/resample_kernels.h"

// Compiled with -mavx2 -mfma, for this file only. See resample_kernels.h for what may be included.
#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace ridgeline {
namespace {

// Two neighbouring pixels, r g b r g b, as 16-bit pairs of one channel: what pmaddwd adds up.
__m128i load_pair(const std::uint8_t* pixels) {
  const __m128i order = _mm_setr_epi8(0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1);
  return _mm_shuffle_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels)), order);
}

__m128i load_weights(const std::int16_t* pair) {
  return _mm_castps_si128(_mm_broadcast_ss(reinterpret_cast<const float*>(pair)));
}

// Red, green, blue, 0 of one output pixel, before rounding.
template <bool OnePair>
[[gnu::always_inline]] inline __m128i pixel_sum(const std::uint8_t* row, const AxisWeights& axis,
                                                int x) {
  const std::uint8_t* const pixels = row + 3 * axis.first[x];
  const std::int16_t* const weights = axis.weights + 2 * axis.pairs * x;
  __m128i sum = _mm_madd_epi16(load_pair(pixels), load_weights(weights));
  if constexpr (!OnePair) {
    for (int pair = 1; pair < axis.pairs; ++pair) {
      sum = _mm_add_epi32(
          sum, _mm_madd_epi16(load_pair(pixels + 6 * pair), load_weights(weights + 2 * pair)));
    }
  }
  return sum;
}

template <bool OnePair>
void horizontal_pairs(const std::uint8_t* row, const AxisWeights& axis, std::int16_t* out) {
  const __m128i shift = _mm_cvtsi32_si128(axis.bits - kRowBits);
  const __m128i half = _mm_set1_epi32(1 << (axis.bits - kRowBits - 1));
  const __m128i close_up = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1);
  for (int x = 0; x < axis.count; x += 2) {
    // An odd last pixel is computed twice; the second lands in the slack behind the row.
    const int next = x + 1 < axis.count ? x + 1 : x;
    const __m128i a = _mm_add_epi32(pixel_sum<OnePair>(row, axis, x), half);
    const __m128i b = _mm_add_epi32(pixel_sum<OnePair>(row, axis, next), half);
    const __m128i both = _mm_packs_epi32(_mm_sra_epi32(a, shift), _mm_sra_epi32(b, shift));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * x), _mm_shuffle_epi8(both, close_up));
  }
}

void horizontal(const std::uint8_t* row, const AxisWeights& axis, std::int16_t* out) {
  axis.pairs == 1 ? horizontal_pairs<true>(row, axis, out)
                  : horizontal_pairs<false>(row, axis, out);
}

// Sixteen values of an output row: `low` holds values 0-3 and 8-11, `high` 4-7 and 12-15, the
// order in which AVX2 unpacks.
struct Sixteen {
  __m256i low;
  __m256i high;
};

struct VerticalPass {
  const std::int16_t* rows;  // at the first tap
  std::size_t stride;
  const std::int16_t* weights;
  int pairs;
  __m256i half;
  __m128i shift;
};

VerticalPass vertical_pass(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y) {
  const int shift = axis.bits + kRowBits;
  return {.rows = rows.data + static_cast<std::size_t>(axis.first[y]) * rows.stride,
          .stride = rows.stride,
          .weights = axis.weights + 2 * axis.pairs * y,
          .pairs = axis.pairs,
          .half = _mm256_set1_epi32(1 << (shift - 1)),
          .shift = _mm_cvtsi32_si128(shift)};
}

template <bool OnePair>
[[gnu::always_inline]] inline Sixteen vertical_sums(const VerticalPass& pass, std::size_t at) {
  __m256i low = pass.half;
  __m256i high = pass.half;
  const std::int16_t* row = pass.rows + at;
  const int pairs = OnePair ? 1 : pass.pairs;
  for (int pair = 0; pair < pairs; ++pair, row += 2 * pass.stride) {
    const __m256i weights = _mm256_castps_si256(
        _mm256_broadcast_ss(reinterpret_cast<const float*>(pass.weights + 2 * pair)));
    const __m256i upper = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
    const __m256i lower = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + pass.stride));
    low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(upper, lower), weights));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(upper, lower), weights));
  }
  return {.low = _mm256_sra_epi32(low, pass.shift), .high = _mm256_sra_epi32(high, pass.shift)};
}

template <bool OnePair>
std::size_t bytes_by_sixteen(const VerticalPass& pass, std::size_t values, std::uint8_t* out) {
  std::size_t at = 0;
  for (; at + 16 <= values; at += 16) {
    const Sixteen sums = vertical_sums<OnePair>(pass, at);
    const __m256i words = _mm256_packs_epi32(sums.low, sums.high);  // in order again
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(words, words), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at), _mm256_castsi256_si128(bytes));
  }
  return at;
}

void vertical_bytes(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                    std::size_t values, std::uint8_t* out) {
  const VerticalPass pass = vertical_pass(rows, axis, y);
  const std::size_t done = axis.pairs == 1 ? bytes_by_sixteen<true>(pass, values, out)
                                           : bytes_by_sixteen<false>(pass, values, out);
  scalar_kernels().vertical_bytes({rows.data + done, rows.stride}, axis, y, values - done,
                                  out + done);
}

// Three vectors of eight hold the channels of eight pixels; then the pattern begins again.
struct ChannelVectors {
  __m256 scale[3];
  __m256 offset[3];
};

[[gnu::always_inline]] inline ChannelVectors channel_vectors(const ByteScaling& scaling) {
  ChannelVectors vectors;
  for (int i = 0; i < 3; ++i) {
    vectors.scale[i] = _mm256_loadu_ps(scaling.scale + 8 * i);
    vectors.offset[i] = _mm256_loadu_ps(scaling.offset + 8 * i);
  }
  return vectors;
}

template <bool Stream>
[[gnu::always_inline]] inline void store(float* out, __m256i bytes, const ChannelVectors& channels,
                                         int vector) {
  const __m256 value =
      _mm256_fmadd_ps(_mm256_cvtepi32_ps(bytes), channels.scale[vector], channels.offset[vector]);
  if constexpr (Stream) {
    _mm256_stream_ps(out, value);
  } else {
    _mm256_storeu_ps(out, value);
  }
}

template <bool OnePair, bool Stream>
std::size_t floats_by_48(const VerticalPass& pass, std::size_t values,
                         const ChannelVectors& channels, float* out) {
  std::size_t at = 0;
  for (; at + 48 <= values; at += 48) {
    for (int group = 0; group < 3; ++group) {
      const Sixteen sums = vertical_sums<OnePair>(pass, at + 16 * static_cast<std::size_t>(group));
      float* const to = out + at + 16 * group;
      store<Stream>(to, _mm256_permute2x128_si256(sums.low, sums.high, 0x20), channels,
                    (2 * group) % 3);
      store<Stream>(to + 8, _mm256_permute2x128_si256(sums.low, sums.high, 0x31), channels,
                    (2 * group + 1) % 3);
    }
  }
  return at;
}

void vertical_floats(const ResampledRows& rows, const AxisWeights& axis, std::int32_t y,
                     std::size_t values, const ByteScaling& scaling, bool stream, float* out) {
  const VerticalPass pass = vertical_pass(rows, axis, y);
  const ChannelVectors channels = channel_vectors(scaling);
  std::size_t done = 0;
  if (axis.pairs == 1) {
    done = stream ? floats_by_48<true, true>(pass, values, channels, out)
                  : floats_by_48<true, false>(pass, values, channels, out);
  } else {
    done = stream ? floats_by_48<false, true>(pass, values, channels, out)
                  : floats_by_48<false, false>(pass, values, channels, out);
  }
  scalar_kernels().vertical_floats({rows.data + done, rows.stride}, axis, y, values - done, scaling,
                                   false, out + done);
}

void scale(const std::uint8_t* bytes, std::size_t values, const ByteScaling& scaling, float* out) {
  const ChannelVectors channels = channel_vectors(scaling);
  std::size_t at = 0;
  for (; at + 24 <= values; at += 24) {
    for (int i = 0; i < 3; ++i) {
      const std::size_t from = at + 8 * static_cast<std::size_t>(i);
      const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + from));
      store<false>(out + from, _mm256_cvtepu8_epi32(eight), channels, i);
    }
  }
  scalar_kernels().scale(bytes + at, values - at, scaling, out + at);
}

void fence() { _mm_sfence(); }

constexpr ResampleKernels kAvx2{.name = "avx2",
                                .horizontal = horizontal,
                                .vertical_bytes = vertical_bytes,
                                .vertical_floats = vertical_floats,
                                .scale = scale,
                                .fence = fence};

}  // namespace

const ResampleKernels* avx2_kernels() {
  static const bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return able ? &kAvx2 : nullptr;
}

}  // namespace ridgeline

#else

namespace ridgeline {

const ResampleKernels* avx2_kernels() { return nullptr; }

}  // namespace ridgeline

#endif
