#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/pickle.h"

namespace ridgeline {

// What a pickle builds before it is a Value: objects that refer to each other by number, because a
// pickle may mention an object again and fill it later.
using Ref = std::uint32_t;

struct PickleNone {};
struct PickleText {
  std::string_view text;  // or bytes: Python 2's strings are either
};
struct PickleSequence {
  std::vector<Ref> items;
  bool is_tuple = false;
};
struct PickleDict {
  std::vector<std::pair<Ref, Ref>> items;
};
struct PickleGlobal {
  std::string name;  // "torch.FloatStorage"
};
struct PickleStorage {
  std::optional<DType> dtype;  // absent: bytes without a type
  std::string key;
  std::uint64_t bytes = 0;
};
struct PickleTensor {
  StoredTensor tensor;
};
// NumPy makes arrays and dtypes in two steps: an empty one, then its state.
struct PickleDType {
  DType dtype = DType::U8;
};
struct PickleArray {
  DType dtype = DType::U8;
  std::vector<std::int64_t> shape;
  std::string_view bytes;
  bool filled = false;
};

struct PickleNode {
  std::variant<PickleNone, bool, std::int64_t, double, PickleText, PickleSequence, PickleDict,
               PickleGlobal, PickleStorage, PickleTensor, PickleDType, PickleArray>
      held;
  std::uint64_t offset = 0;  // of the opcode that made it, for messages
};

// One object an opcode at the most, each some 100 bytes: a bound on memory, far above what
// checkpoints hold.
inline constexpr std::size_t kMostPickleItems = 4'000'000;

struct PickleGraph {
  std::span<const std::byte> bytes;  // of the pickle
  std::vector<PickleNode> nodes;
  std::deque<std::string> texts;  // those that are not as they stand in the file
  std::size_t copied_items = 0;   // from one object to another
  std::size_t copied_bytes = 0;
  Ref root = 0;
};

// Runs the opcodes.
[[nodiscard]] PickleGraph run_pickle(std::span<const std::byte> bytes,
                                     const PickleOptions& options);

// A pickle may mention an object again and again, and what is made of it is copied each time. Bytes
// may so become a few times those of the file, not thousands of times.
[[nodiscard]] inline std::size_t most_copied_bytes(const PickleGraph& graph) {
  return 4 * graph.bytes.size() + (1U << 20U);
}

// What an allowed global makes of its arguments. Throws for one that is not allowed.
[[nodiscard]] PickleNode reduce_pickle(PickleGraph& graph, const std::string& global,
                                       const std::vector<Ref>& arguments,
                                       const PickleOptions& options, std::uint64_t offset);
// BUILD: gives an object its state.
void build_pickle(PickleGraph& graph, Ref object, Ref state, const PickleOptions& options,
                  std::uint64_t offset);
// A persistent id: ('storage', type, key, place, count).
[[nodiscard]] PickleNode resolve_storage(PickleGraph& graph, Ref id, const PickleOptions& options,
                                         std::uint64_t offset);

// The tree below the root, unfolded.
[[nodiscard]] Value unfold_pickle(const PickleGraph& graph, const PickleOptions& options);

}  // namespace ridgeline
