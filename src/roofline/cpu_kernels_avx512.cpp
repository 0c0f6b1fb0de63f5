#include "roofline/cpu_kernels.h"

// Compiled with -mavx512f, for this file only. See cpu_kernels.h for what may be included.
#if defined(__AVX512F__)

#include "roofline/cpu_kernels_vector.h"

namespace ridgeline {
namespace {

struct Floats {
  using Number = float;
  using Vector = __m512;
  static constexpr std::size_t kWidth = 16;
  static Vector set(float value) { return _mm512_set1_ps(value); }
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static Vector fma(Vector v, Vector f, Vector a) { return _mm512_fmadd_ps(v, f, a); }
  static void store(float* to, Vector v) { _mm512_storeu_ps(to, v); }
};

struct Doubles {
  using Number = double;
  using Vector = __m512d;
  static constexpr std::size_t kWidth = 8;
  static Vector set(double value) { return _mm512_set1_pd(value); }
  static Vector load(const double* from) { return _mm512_loadu_pd(from); }
  static Vector fma(Vector v, Vector f, Vector a) { return _mm512_fmadd_pd(v, f, a); }
  static void store(double* to, Vector v) { _mm512_storeu_pd(to, v); }
};

struct Words {
  using Vector = __m512i;
  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector add(Vector a, Vector b) { return _mm512_add_epi64(a, b); }
  static Vector load(const std::byte* from) {
    return _mm512_load_si512(reinterpret_cast<const Vector*>(from));
  }
  static void store(std::uint64_t* to, Vector v) {
    _mm512_store_si512(reinterpret_cast<Vector*>(to), v);
  }
  static void stream(std::byte* to, Vector v) {
    _mm512_stream_si512(reinterpret_cast<Vector*>(to), v);
  }
};

constexpr CpuKernels kKernels = vector_kernels<Floats, Doubles, Words, 16>("AVX-512");

}  // namespace

const CpuKernels* avx512_cpu_kernels() {
  return __builtin_cpu_supports("avx512f") ? &kKernels : nullptr;
}

}  // namespace ridgeline

#else

namespace ridgeline {
const CpuKernels* avx512_cpu_kernels() { return nullptr; }
}  // namespace ridgeline

#endif
