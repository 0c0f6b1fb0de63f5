#pragma once

#include <optional>
#include <string>

#include "models/spec.h"

namespace ridgeline {

// What the process itself needs beside the model: LibTorch, its thread pools, scratch memory.
inline constexpr Bytes kProcessOverhead{512.0 * 1024 * 1024};

// True when the predicted need, overhead included, is within `available`; true when nothing can be
// predicted.
[[nodiscard]] bool fits(const ModelSpec& model, const RunSettings& settings, Bytes available);

// "batch 2 at context 256 would fit", or that nothing would; for the message of a row without room.
[[nodiscard]] std::string largest_that_fits(const ModelSpec& model, const RunSettings& settings,
                                            Bytes available);

// What is known once memory has run out in earnest: so much was promised, so much was in use.
struct Shortage {
  Bytes available{};
  Bytes used{};  // by the whole process; zero: unknown
};
// The same after that: a smaller version, for whatever was predicted, this one did not fit.
[[nodiscard]] std::string smaller_that_fits(const ModelSpec& model, const RunSettings& settings,
                                            const Shortage& shortage);

// "needs 24.1 GiB (parameters ..., ...), 20.0 GiB available; batch 2 at context 256 would fit"
[[nodiscard]] std::string shortage_message(const ModelSpec& model, const RunSettings& settings,
                                           Bytes available);

// The next smaller version: half the context, then half the batch; absent when there is none.
[[nodiscard]] std::optional<ModelSpec> next_smaller(const ModelSpec& model);

// Reduced until it is predicted to fit; absent when even the smallest does not.
[[nodiscard]] std::optional<ModelSpec> fit(const ModelSpec& model, const RunSettings& settings,
                                           Bytes available);

// "context 1024 -> 256, batch 4 -> 2 to fit 20.0 GiB"; empty when nothing changed.
[[nodiscard]] std::string describe_change(const ModelSpec& before, const ModelSpec& after,
                                          Bytes available);

}  // namespace ridgeline
