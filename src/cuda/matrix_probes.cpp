#include "cuda/matrix_probes.h"

#if __has_include(<cublasLt.h>)

#include <array>
#include <cstdint>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "cuda/cublaslt_library.h"
#include "cuda/device_work.h"
#include "cuda/kernels/peak_kernels.h"

namespace ridgeline {
namespace {

using kernels::FillFormat;

// A ceiling is what can be reached, not what lasts: after some tens of milliseconds of products a
// card at its power limit lowers its clocks, by a seventh on an H200.
constexpr Seconds kRest{0.2};
constexpr Seconds kWarmUp{0.005};
constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kAlgorithms = 3;

struct MatrixFormat {
  const char* name;
  ComputePath path;
  FillFormat fill;
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  std::size_t in_bytes;
  std::size_t out_bytes;
};

constexpr std::array kFormats{
    MatrixFormat{"fp64", ComputePath::TensorFp64, FillFormat::Fp64, CUDA_R_64F, CUDA_R_64F,
                 CUBLAS_COMPUTE_64F, CUDA_R_64F, 8, 8},
    MatrixFormat{"fp32", ComputePath::Fp32, FillFormat::Fp32, CUDA_R_32F, CUDA_R_32F,
                 CUBLAS_COMPUTE_32F, CUDA_R_32F, 4, 4},
    MatrixFormat{"tf32", ComputePath::TensorTf32, FillFormat::Fp32, CUDA_R_32F, CUDA_R_32F,
                 CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 4, 4},
    MatrixFormat{"fp16", ComputePath::TensorFp16, FillFormat::Fp16, CUDA_R_16F, CUDA_R_16F,
                 CUBLAS_COMPUTE_32F, CUDA_R_32F, 2, 2},
    MatrixFormat{"bf16", ComputePath::TensorBf16, FillFormat::Bf16, CUDA_R_16BF, CUDA_R_16BF,
                 CUBLAS_COMPUTE_32F, CUDA_R_32F, 2, 2},
    MatrixFormat{"fp8", ComputePath::TensorFp8, FillFormat::Fp8, CUDA_R_8F_E4M3, CUDA_R_16BF,
                 CUBLAS_COMPUTE_32F, CUDA_R_32F, 1, 2},
    MatrixFormat{"int8", ComputePath::TensorInt8, FillFormat::Int8, CUDA_R_8I, CUDA_R_32I,
                 CUBLAS_COMPUTE_32I, CUDA_R_32I, 1, 4},
};

// Tensor cores for doubles are the data centre's alone; elsewhere the vector units multiply them.
ComputePath path_on_device(const MatrixFormat& format) {
  if (format.path != ComputePath::TensorFp64) return format.path;
  int device = 0;
  int major = 0;
  int minor = 0;
  require_cuda(cudaGetDevice(&device), "the device");
  require_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
               "its compute capability");
  require_cuda(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
               "its compute capability");
  const bool has = (major == 8 && minor == 0) || major == 9 || major == 10;
  return has ? format.path : ComputePath::Fp64;
}

struct Shape {
  std::uint64_t m;
  std::uint64_t n;
  std::uint64_t k;
};
constexpr std::array kShapes{Shape{8192, 8192, 8192}, Shape{4096, 4096, 4096},
                             Shape{16384, 8192, 8192}, Shape{8192, 16384, 4096}};

// What all products of a format share: the library's handle, room to work, the matrices.
struct Bench {
  cublasLtHandle_t handle = nullptr;
  std::shared_ptr<void> workspace{};
  std::shared_ptr<void> a{}, b{}, c{};
  TimedStream stream{};

  Bench() { cublaslt().check(cublaslt().create(&handle), "a handle"); }
  ~Bench() { static_cast<void>(cublaslt().destroy(handle)); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
};

// C = Aᵀ B, all in columns: the arrangement that every format has.
struct Product {
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t c = nullptr;

  Product(const MatrixFormat& format, const Shape& shape) {
    const CublasLt& lt = cublaslt();
    lt.check(lt.create_product(&description, format.compute, format.scale), "a product");
    const cublasOperation_t transposed = CUBLAS_OP_T;
    lt.check(
        lt.set_product(description, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
        "a transposed matrix");
    if (format.fill == FillFormat::Fp8) {
      const std::int8_t fast = 1;
      lt.check(lt.set_product(description, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast),
               "fast sums");
    }
    const auto ld = [](std::uint64_t rows) { return static_cast<std::int64_t>(rows); };
    lt.check(lt.create_layout(&a, format.in, shape.k, shape.m, ld(shape.k)), "a layout");
    lt.check(lt.create_layout(&b, format.in, shape.k, shape.n, ld(shape.k)), "a layout");
    lt.check(lt.create_layout(&c, format.out, shape.m, shape.n, ld(shape.m)), "a layout");
  }
  ~Product() {
    const CublasLt& lt = cublaslt();
    for (const auto layout : {a, b, c}) {
      if (layout != nullptr) static_cast<void>(lt.destroy_layout(layout));
    }
    if (description != nullptr) static_cast<void>(lt.destroy_product(description));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
};

// 1 and 0 in the type that the format is scaled in.
struct Scale {
  double fp64 = 0;
  float fp32 = 0;
  std::int32_t int32 = 0;
  explicit Scale(int value) : fp64(value), fp32(static_cast<float>(value)), int32(value) {}
  [[nodiscard]] const void* in(cudaDataType_t type) const {
    if (type == CUDA_R_64F) return &fp64;
    return type == CUDA_R_32I ? static_cast<const void*>(&int32) : &fp32;
  }
};

std::vector<cublasLtMatmulAlgo_t> algorithms_for(const Bench& bench, const Product& product) {
  const CublasLt& lt = cublaslt();
  cublasLtMatmulPreference_t raw = nullptr;
  lt.check(lt.create_preference(&raw), "a preference");
  const std::shared_ptr<void> preference(raw, [&lt](void* held) {
    static_cast<void>(lt.destroy_preference(static_cast<cublasLtMatmulPreference_t>(held)));
  });
  lt.check(lt.set_preference(raw, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
                             sizeof kWorkspace),
           "a workspace");
  std::array<cublasLtMatmulHeuristicResult_t, kAlgorithms> found{};
  int count = 0;
  lt.check(lt.find_algorithms(bench.handle, product.description, product.a, product.b, product.c,
                              product.c, raw, kAlgorithms, found.data(), &count),
           "an algorithm");
  std::vector<cublasLtMatmulAlgo_t> algorithms;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if (found[i].state == CUBLAS_STATUS_SUCCESS && found[i].workspaceSize <= kWorkspace)
      algorithms.push_back(found[i].algo);
  }
  return algorithms;
}

void add_candidates(std::vector<PeakCandidate>& candidates, const std::shared_ptr<Bench>& bench,
                    const MatrixFormat& format, const Shape& shape) {
  const auto product = std::make_shared<Product>(format, shape);
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms_for(*bench, *product)) {
    PeakCandidate candidate{.at = fmt::format("{} × {} × {}", shape.m, shape.n, shape.k),
                            .work = 2.0 * static_cast<double>(shape.m) *
                                    static_cast<double>(shape.n) * static_cast<double>(shape.k)};
    candidate.run = [bench, product, algorithm, type = format.scale](std::uint64_t repetitions) {
      const CublasLt& lt = cublaslt();
      const Scale one(1);
      const Scale zero(0);
      return bench->stream.time(repetitions, [&] {
        lt.check(lt.multiply(bench->handle, product->description, one.in(type), bench->a.get(),
                             product->a, bench->b.get(), product->b, zero.in(type), bench->c.get(),
                             product->c, bench->c.get(), product->c, &algorithm,
                             bench->workspace.get(), kWorkspace, bench->stream.stream()),
                 "a matrix product");
      });
    };
    candidates.push_back(std::move(candidate));
  }
}

struct Room {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

// Elements for the largest of the shapes that fit into a part of the free memory.
std::vector<Shape> fitting_shapes(const MatrixFormat& format, Room& room) {
  std::size_t free = 0;
  std::size_t total = 0;
  require_cuda(cudaMemGetInfo(&free, &total), "free memory");
  std::vector<Shape> shapes;
  for (const Shape& shape : kShapes) {
    const Room wanted{.a = std::max(room.a, shape.m * shape.k),
                      .b = std::max(room.b, shape.n * shape.k),
                      .c = std::max(room.c, shape.m * shape.n)};
    if ((wanted.a + wanted.b) * format.in_bytes + wanted.c * format.out_bytes > free / 4) continue;
    room = wanted;
    shapes.push_back(shape);
  }
  return shapes;
}

std::vector<PeakCandidate> prepare(const MatrixFormat& format) {
  Room room;
  const auto shapes = fitting_shapes(format, room);
  if (shapes.empty()) throw Error(Fault::Memory, "no room for a matrix product on the device");
  const auto bench = std::make_shared<Bench>();
  bench->workspace = device_memory(kWorkspace);
  bench->a = device_memory(room.a * format.in_bytes);
  bench->b = device_memory(room.b * format.in_bytes);
  bench->c = device_memory(room.c * format.out_bytes);
  const cudaStream_t stream = bench->stream.stream();
  require_cuda(launch_fill(format.fill, bench->a.get(), room.a, 1, stream), "random numbers");
  require_cuda(launch_fill(format.fill, bench->b.get(), room.b, 2, stream), "random numbers");
  std::vector<PeakCandidate> candidates;
  std::string why;
  for (const Shape& shape : shapes) {
    try {
      add_candidates(candidates, bench, format, shape);
    } catch (const Error& error) {
      why = error.what();
    }
  }
  if (candidates.empty())
    throw Error(Fault::Device, why.empty() ? "cuBLASLt has no algorithm for it here" : why);
  return candidates;
}

}  // namespace

void add_matrix_probes(std::vector<PeakProbe>& probes) {
  for (const MatrixFormat& format : kFormats) {
    PeakProbe probe{.what = {.name = format.name, .path = path_on_device(format)},
                    .rest = kRest,
                    .warm_up = kWarmUp};
    probe.prepare = [&format] { return prepare(format); };
    probes.push_back(std::move(probe));
  }
}

}  // namespace ridgeline

#else

namespace ridgeline {
void add_matrix_probes(std::vector<PeakProbe>&) {}
}  // namespace ridgeline

#endif
