#include "data/pickle_stack.h"

namespace ridgeline {

PickleNode& PickleStack::add_node() {
  if (graph_.nodes.size() == kMostPickleItems) {
    throw cursor_.refusal(fmt::format("the pickle holds more than {} objects", kMostPickleItems));
  }
  push_again(static_cast<Ref>(graph_.nodes.size()));
  return graph_.nodes.emplace_back();
}

void PickleStack::push_again(Ref ref) {
  // No new object, but a place that a short pickle could otherwise fill for long.
  if (stack_.size() >= kMostPickleItems) throw cursor_.refusal("the pickle's stack is too large");
  stack_.push_back(ref);
}

Ref PickleStack::pop() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) throw cursor_.refusal("the pickle takes more objects than it made");
  const Ref ref = stack_.back();
  stack_.pop_back();
  return ref;
}

Ref PickleStack::top() {
  const Ref ref = pop();
  stack_.push_back(ref);
  return ref;
}

void PickleStack::mark() {
  if (marks_.size() >= kMostPickleItems) throw cursor_.refusal("the pickle has too many marks");
  marks_.push_back(stack_.size());
}

std::vector<Ref> PickleStack::pop_to_mark() {
  if (marks_.empty()) throw cursor_.refusal("the pickle lacks a mark");
  const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Ref> items(from, stack_.end());
  stack_.erase(from, stack_.end());
  marks_.pop_back();
  return items;
}

void PickleStack::push_tuple(std::size_t size) {
  PickleSequence tuple{.items = std::vector<Ref>(size), .is_tuple = true};
  while (size-- > 0) tuple.items[size] = pop();
  push(std::move(tuple));
}

void PickleStack::append(const std::vector<Ref>& items) {
  auto* const list = std::get_if<PickleSequence>(&graph_.nodes[top()].held);
  if (list == nullptr || list->is_tuple) {
    throw cursor_.refusal("the pickle appends to what is no list");
  }
  list->items.insert(list->items.end(), items.begin(), items.end());
}

void PickleStack::set_items(PickleDict& dict, const std::vector<Ref>& items) const {
  if (items.size() % 2 != 0) throw cursor_.refusal("the pickle has a key without a value");
  for (std::size_t i = 0; i < items.size(); i += 2) {
    dict.items.emplace_back(items[i], items[i + 1]);
  }
}

void PickleStack::set_items(const std::vector<Ref>& items) {
  auto* const dict = std::get_if<PickleDict>(&graph_.nodes[top()].held);
  if (dict == nullptr) throw cursor_.refusal("the pickle sets an item of what is no dictionary");
  set_items(*dict, items);
}

void PickleStack::remember(std::uint64_t index) {
  if (memo_.size() >= kMostPickleItems) throw cursor_.refusal("the pickle's memo is too large");
  memo_[index] = top();
}

void PickleStack::recall(std::uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) {
    throw cursor_.refusal(fmt::format("the memo has no entry {}", index));
  }
  push_again(found->second);
}

}  // namespace ridgeline
