#include "data/epoch_order.h"

#include <numeric>
#include <utility>

#include "stats/random.h"

namespace ridgeline {

std::vector<std::size_t> epoch_order(std::size_t size, const EpochOrder& order) {
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  if (!order.shuffle) return indices;
  // What transforms draw has the odd streams (draw.cpp).
  Random random(order.seed, 2 * order.epoch + 2);
  for (std::size_t left = size; left > 1; --left)
    std::swap(indices[left - 1], indices[random.below(left)]);
  return indices;
}

}  // namespace ridgeline
