#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "data/pickle_cursor.h"
#include "data/pickle_graph.h"

namespace ridgeline {

// The objects a pickle has made, its stack with marks, and its memo. Every member refuses what a
// well-formed pickle never does: taking what is not there, filling what cannot be filled.
class PickleStack {
 public:
  PickleStack(const PickleCursor& cursor, PickleGraph& graph) : cursor_(cursor), graph_(graph) {}

  template <class Held>
  void push(Held held) {
    add_node() = {.held = std::move(held), .offset = cursor_.opcode_at()};
  }
  [[nodiscard]] Ref pop();
  [[nodiscard]] Ref top();
  [[nodiscard]] bool is_empty() const { return stack_.empty(); }
  void push_again(Ref ref);

  void mark();
  [[nodiscard]] std::vector<Ref> pop_to_mark();

  void push_tuple(std::size_t size);
  // Into the list on top.
  void append(const std::vector<Ref>& items);
  void set_items(PickleDict& dict, const std::vector<Ref>& items) const;
  // Into the dictionary on top.
  void set_items(const std::vector<Ref>& items);

  void remember(std::uint64_t index);
  void remember_next() { remember(memo_.size()); }
  void recall(std::uint64_t index);

 private:
  PickleNode& add_node();

  const PickleCursor& cursor_;
  PickleGraph& graph_;
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Ref> memo_;
};

}  // namespace ridgeline
