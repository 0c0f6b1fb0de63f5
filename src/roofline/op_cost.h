#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "roofline/ceilings.h"
#include "roofline/op_call.h"

namespace ridgeline {

// What one call of an op must do at least: arithmetic (a multiply-add is two), and bytes with every
// operand read once and every result written once, as if a perfect cache stood before the memory.
// docs/roofline.md says what each family counts.
struct OpWork {
  std::array<Flop, kComputePaths> flop{};
  Bytes bytes{};
  [[nodiscard]] Flop total_flop() const;
};

// An op calls others to do its work, or does it itself; counted twice it would be wrong.
enum class OpRole {
  Works,      // does what its cost says, whatever else it calls
  Delegates,  // where an op inside it does the work, that one counts; else this
  Nothing,    // views, allocations, questions: no work, only time
  Unknown     // no cost model
};
[[nodiscard]] OpRole role_of_op(std::string_view name);

struct OpCostOptions {
  bool tf32 = false;  // products of fp32 numbers run on matrix units in TF32
  // A GPU makes a quotient or a root of several operations, which its counters count.
  bool on_gpu = false;
};

// Absent for an op that has no cost model or was not called as its model expects.
[[nodiscard]] std::optional<OpWork> op_work(const OpCall& call, const OpCostOptions& options);

// Names of all ops that have a model, for tests and messages.
[[nodiscard]] std::vector<std::string_view> modelled_ops();

}  // namespace ridgeline
