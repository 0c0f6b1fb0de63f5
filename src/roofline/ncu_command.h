#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/ncu_metric.h"

namespace ridgeline {

// Which chip a file of ncu is of, as its column "CC" says: 8.9 of an L4. Chips count the same work
// under different names, and ncu refuses a command with one that the chip does not have.
struct ComputeCapability {
  int major{};
  int minor{};
  bool operator==(const ComputeCapability&) const = default;
};
// "9.0"; absent for anything else.
[[nodiscard]] std::optional<ComputeCapability> compute_capability(std::string_view cell);

// The counters of the tensor cores' FLOPs that the chip has, by number format.
[[nodiscard]] std::vector<std::string_view> tensor_counters(ComputeCapability chip);

// A100's names: what every chip since has too, but for fp16 on Hopper.
inline constexpr ComputeCapability kCommonChip{.major = 8, .minor = 0};

// "ncu --metrics A,B,C --csv": collects everything a roofline needs, so that one file has all of
// it, each metric once. With the tensor counters where `tensor` asks for them: each costs another
// pass. Of a chip that is not known the names are those of most, and a word says what to write on
// the others.
struct NcuCommandOptions {
  bool tensor = false;  // the tensor cores' counters too
  std::vector<NcuMetric> also{};
  std::optional<ComputeCapability> chip{};
};
[[nodiscard]] std::string ncu_command(const NcuCommandOptions& options);

// "ncu ... PROGRAM", and the word about other chips.
[[nodiscard]] std::string ncu_line(const NcuCommandOptions& options);
// "collect them with: ncu ... PROGRAM"
[[nodiscard]] std::string how_to_count(const NcuCommandOptions& options);

}  // namespace ridgeline
