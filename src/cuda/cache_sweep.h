#pragma once

#include <memory>

#include <cuda_runtime_api.h>

#include "core/units.h"
#include "cuda/kernels/cache_sweep.h"

namespace ridgeline {

// Empties the caches of the current device for the kernel that comes next on a stream, as ncu does
// by itself: reads some times the L2, so that whatever lay there is written back and gone. L1 needs
// nothing: it keeps no line of global memory from one kernel to the next.
class CacheSweep {
 public:
  // Takes the memory and runs it once. Throws Error(Memory) or Error(Device).
  CacheSweep();

  // A failure is kept for check(): this is called where nothing may be thrown.
  void launch(cudaStream_t stream) noexcept;
  void check() const;
  [[nodiscard]] Bytes size() const;  // what each launch reads

 private:
  std::shared_ptr<void> data_;
  std::shared_ptr<void> out_;
  kernels::SweepRun run_{};
  cudaError_t failure_ = cudaSuccess;
};

}  // namespace ridgeline
