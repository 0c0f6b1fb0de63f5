#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ridgeline {

// Element i: does arm A go first in round i? Rounds come in blocks of two, A B B A or B A A B by a
// fair coin: within a block each arm goes first once, so that a steady drift and an advantage of
// going first cancel, and the coin keeps anything periodic from lining up with one arm. A last odd
// round is a coin of its own.
[[nodiscard]] std::vector<bool> abba_order(std::size_t rounds, std::uint64_t seed);

}  // namespace ridgeline
