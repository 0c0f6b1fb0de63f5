// Without the header there is nothing here, and matrix peaks are LibTorch's (matrix_probes.cpp).
#if __has_include(<cublasLt.h>)

#include "cuda/cublaslt_library.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

Library open_library() {
  const std::string name = fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  try {
    return Library::open(name);
  } catch (const Error& error) {
    throw Error(Fault::Device, fmt::format("cuBLASLt cannot be loaded: {}", error.what()));
  }
}

CublasLt load() {
  const Library library = open_library();
  CublasLt table;
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = library.symbol<Function>(name);
  };
  find(table.create, "cublasLtCreate");
  find(table.destroy, "cublasLtDestroy");
  find(table.create_product, "cublasLtMatmulDescCreate");
  find(table.destroy_product, "cublasLtMatmulDescDestroy");
  find(table.set_product, "cublasLtMatmulDescSetAttribute");
  find(table.create_layout, "cublasLtMatrixLayoutCreate");
  find(table.destroy_layout, "cublasLtMatrixLayoutDestroy");
  find(table.create_preference, "cublasLtMatmulPreferenceCreate");
  find(table.destroy_preference, "cublasLtMatmulPreferenceDestroy");
  find(table.set_preference, "cublasLtMatmulPreferenceSetAttribute");
  find(table.find_algorithms, "cublasLtMatmulAlgoGetHeuristic");
  find(table.multiply, "cublasLtMatmul");
  find(table.status_string, "cublasLtGetStatusString");
  return table;
}

}  // namespace

void CublasLt::check(cublasStatus_t status, const char* what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(Fault::Device, fmt::format("cuBLASLt, {}: {}", what, status_string(status)));
}

const CublasLt& cublaslt() {
  static const CublasLt loaded = load();
  return loaded;
}

}  // namespace ridgeline

#endif
