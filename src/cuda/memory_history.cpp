#include "cuda/memory_history.h"

#include <torch/csrc/cuda/memory_snapshot.h>

#include <cstdlib>
#include <optional>
#include <vector>

namespace ridgeline {
namespace {

constexpr std::size_t kMostEvents = 100'000;

}  // namespace

void record_cuda_memory_history(bool on) {
  using Word = std::optional<std::string>;
  // Torch asks addr2line for every frame by default, which takes minutes for its own libraries; the
  // names that the libraries export are there at once. A choice of the user's stays.
  if (on) static_cast<void>(::setenv("TORCH_SYMBOLIZE_MODE", "dladdr", /*replace=*/0));
  torch::cuda::_record_memory_history(on ? Word("all") : Word(), on ? Word("alloc") : Word(),
                                      /*stacks=*/"all", kMostEvents, /*clearHistory=*/on);
}

std::string cuda_memory_snapshot() { return torch::cuda::_memory_snapshot_pickled(); }

}  // namespace ridgeline
