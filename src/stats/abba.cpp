#include "stats/abba.h"

#include "stats/random.h"

namespace ridgeline {

std::vector<bool> abba_order(std::size_t rounds, std::uint64_t seed) {
  Random random(seed);
  std::vector<bool> a_first(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    const bool opens_block = i % 2 == 0;
    a_first[i] = opens_block ? random.below(2) == 0 : !a_first[i - 1];
  }
  return a_first;
}

}  // namespace ridgeline
