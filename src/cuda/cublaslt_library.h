#pragma once

#include <cublasLt.h>

namespace ridgeline {

// What we call of cuBLASLt. Torch brings the library and has it loaded; it is found when it is
// asked for, so that nothing but its header is needed to build.
struct CublasLt {
  decltype(&cublasLtCreate) create{};
  decltype(&cublasLtDestroy) destroy{};
  decltype(&cublasLtMatmulDescCreate) create_product{};
  decltype(&cublasLtMatmulDescDestroy) destroy_product{};
  decltype(&cublasLtMatmulDescSetAttribute) set_product{};
  decltype(&cublasLtMatrixLayoutCreate) create_layout{};
  decltype(&cublasLtMatrixLayoutDestroy) destroy_layout{};
  decltype(&cublasLtMatmulPreferenceCreate) create_preference{};
  decltype(&cublasLtMatmulPreferenceDestroy) destroy_preference{};
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference{};
  decltype(&cublasLtMatmulAlgoGetHeuristic) find_algorithms{};
  decltype(&cublasLtMatmul) multiply{};
  decltype(&cublasLtGetStatusString) status_string{};

  // Throws Error(Device) with the reason.
  void check(cublasStatus_t status, const char* what) const;
};

// Loaded once. Throws Error(Device) where there is none.
[[nodiscard]] const CublasLt& cublaslt();

}  // namespace ridgeline
