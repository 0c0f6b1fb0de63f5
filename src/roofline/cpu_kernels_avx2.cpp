#include "roofline/cpu_kernels.h"

// Compiled with -mavx2 -mfma, for this file only. See cpu_kernels.h for what may be included.
#if defined(__AVX2__) && defined(__FMA__)

#include "roofline/cpu_kernels_vector.h"

namespace ridgeline {
namespace {

struct Floats {
  using Number = float;
  using Vector = __m256;
  static constexpr std::size_t kWidth = 8;
  static Vector set(float value) { return _mm256_set1_ps(value); }
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static Vector fma(Vector v, Vector f, Vector a) { return _mm256_fmadd_ps(v, f, a); }
  static void store(float* to, Vector v) { _mm256_storeu_ps(to, v); }
};

struct Doubles {
  using Number = double;
  using Vector = __m256d;
  static constexpr std::size_t kWidth = 4;
  static Vector set(double value) { return _mm256_set1_pd(value); }
  static Vector load(const double* from) { return _mm256_loadu_pd(from); }
  static Vector fma(Vector v, Vector f, Vector a) { return _mm256_fmadd_pd(v, f, a); }
  static void store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
};

struct Words {
  using Vector = __m256i;
  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector add(Vector a, Vector b) { return _mm256_add_epi64(a, b); }
  static Vector load(const std::byte* from) {
    return _mm256_load_si256(reinterpret_cast<const Vector*>(from));
  }
  static void store(std::uint64_t* to, Vector v) {
    _mm256_store_si256(reinterpret_cast<Vector*>(to), v);
  }
  static void stream(std::byte* to, Vector v) {
    _mm256_stream_si256(reinterpret_cast<Vector*>(to), v);
  }
};

constexpr CpuKernels kKernels = vector_kernels<Floats, Doubles, Words, 12>("AVX2");

}  // namespace

const CpuKernels* avx2_cpu_kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kKernels : nullptr;
}

}  // namespace ridgeline

#else

namespace ridgeline {
const CpuKernels* avx2_cpu_kernels() { return nullptr; }
}  // namespace ridgeline

#endif
