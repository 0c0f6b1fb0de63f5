#pragma once

namespace ridgeline {

// The largest dimensions taken: far beyond any model, and small enough that no product of them
// overflows where a model is counted, nor a list of its layers fills the memory.
inline constexpr long kLargestWidth = 10'000'000;  // model, feed-forward, head; heads
inline constexpr long kMostLayers = 10'000;
inline constexpr long kMostWords = 1'000'000'000;         // vocabulary, classes
inline constexpr long kLargestImage = 1'000'000;          // pixels a side
inline constexpr long kLongestBatch = 1'000'000'000'000;  // samples a batch, tokens a sequence

}  // namespace ridgeline
