#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridgeline {

// In which order an epoch visits `size` samples: a function of seed and epoch alone.
struct EpochOrder {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  bool shuffle = true;
};
[[nodiscard]] std::vector<std::size_t> epoch_order(std::size_t size, const EpochOrder& order);

}  // namespace ridgeline
