#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/bench_buffers.h"

namespace ridgeline::bench {

struct PeerCase {
  std::int64_t rows = 0;
  std::int64_t channels = 0;
  bool residual = false;
};

// A call in a captured chain, as the kernels' own `chain_s`.
struct PeerTiming {
  double forward_s = 0;
  double backward_s = 0;
};

// PyTorch's own batch_norm, add and relu on bf16 channels-last tensors. Call before anything else
// uses torch. Absent, with the reason, where LibTorch's CUDA part cannot be loaded.
[[nodiscard]] std::optional<std::string> peer_obstacle();
[[nodiscard]] PeerTiming time_peer(const PeerCase& peer);

}  // namespace ridgeline::bench
