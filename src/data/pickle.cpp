#include "data/pickle.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/pickle_graph.h"

namespace ridgeline {
namespace {

constexpr int kDeepest = 100;

class Unfolder {
 public:
  Unfolder(const PickleGraph& graph, const PickleOptions& options)
      : graph_(graph),
        options_(options),
        open_(graph.nodes.size(), false),
        most_items_(std::min(kMostPickleItems, 100'000 + 16 * graph.nodes.size())) {}

  Value unfold(Ref ref) {
    const PickleNode& node = graph_.nodes[ref];
    count_item(node);
    return std::visit([&](const auto& held) { return value_of(ref, node, held); }, node.held);
  }

 private:
  [[nodiscard]] Error refusal(const PickleNode& node, std::string_view what) const {
    return malformed(options_.source, node.offset, what);
  }

  static Value value_of(Ref, const PickleNode&, const PickleNone&) { return {}; }
  static Value value_of(Ref, const PickleNode&, bool held) { return {held}; }
  static Value value_of(Ref, const PickleNode&, std::int64_t held) { return {held}; }
  static Value value_of(Ref, const PickleNode&, double held) { return {held}; }
  Value value_of(Ref, const PickleNode& node, const PickleText& held) {
    count_bytes(node, held.text.size());
    return {std::string(held.text)};
  }
  Value value_of(Ref, const PickleNode& node, const PickleGlobal& held) {
    if (!held.name.starts_with("torch.")) {
      throw refusal(node, fmt::format("the global {} where data is due", in_quotes(held.name)));
    }
    count_bytes(node, held.name.size());
    return {held.name};
  }
  Value value_of(Ref, const PickleNode& node, const PickleStorage&) const {
    throw refusal(node, "a storage that belongs to no tensor");
  }
  Value value_of(Ref, const PickleNode& node, const PickleDType&) const {
    throw refusal(node, "a NumPy dtype that belongs to no array");
  }

  Value value_of(Ref ref, const PickleNode&, const PickleTensor& held) {
    const auto known = arrays_.find(ref);
    if (known != arrays_.end()) return {known->second};
    return {arrays_.emplace(ref, options_.tensor(held.tensor)).first->second};
  }

  Value value_of(Ref ref, const PickleNode& node, const PickleArray& held) {
    if (!held.filled) throw refusal(node, "a NumPy array without its data");
    const auto known = arrays_.find(ref);
    if (known != arrays_.end()) return {known->second};
    const auto bytes = std::as_bytes(std::span(held.bytes));
    Array array = options_.owner != nullptr && is_in_file(bytes)
                      ? view_or_copy(held.dtype, held.shape, bytes, options_.owner)
                      : own_copy(held.dtype, held.shape, bytes);
    if (array.owner != options_.owner) count_bytes(node, bytes.size());
    return {arrays_.emplace(ref, std::move(array)).first->second};
  }

  // Text that had to be decoded is ours, not a part of the file.
  [[nodiscard]] bool is_in_file(std::span<const std::byte> part) const {
    return std::greater_equal{}(part.data(), graph_.bytes.data()) &&
           std::less{}(part.data(), graph_.bytes.data() + graph_.bytes.size());
  }

  // Ten lists of ten mentions of the one before would be ten thousand million items.
  void count_item(const PickleNode& node) {
    if (++items_ <= most_items_) return;
    throw refusal(node, fmt::format("the pickle unfolds into more than {} items", most_items_));
  }

  void count_bytes(const PickleNode& node, std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > most_copied_bytes(graph_)) throw refusal(node, "the pickle unfolds into too much");
  }

  Value value_of(Ref ref, const PickleNode& node, const PickleSequence& held) {
    enter(ref, node);
    List list;
    list.reserve(held.items.size());
    for (const Ref item : held.items) list.push_back(unfold(item));
    leave(ref);
    return {std::move(list)};
  }

  Value value_of(Ref ref, const PickleNode& node, const PickleDict& held) {
    enter(ref, node);
    Dict dict;
    dict.reserve(held.items.size());
    std::set<Key> keys;
    for (const auto& [key_ref, value_ref] : held.items) {
      Key key = key_of(key_ref);
      if (!keys.insert(key).second) throw refusal(graph_.nodes[key_ref], "a key that stands twice");
      dict.emplace_back(std::move(key), unfold(value_ref));
    }
    leave(ref);
    return {std::move(dict)};
  }

  [[nodiscard]] Key key_of(Ref ref) {
    const PickleNode& node = graph_.nodes[ref];
    if (const auto* const number = std::get_if<std::int64_t>(&node.held)) return *number;
    if (std::holds_alternative<PickleText>(node.held)) {
      return std::get<std::string>(unfold(ref).held);
    }
    throw refusal(node, "a key that is neither text nor a whole number");
  }

  void enter(Ref ref, const PickleNode& node) {
    if (open_[ref]) throw refusal(node, "a structure that contains itself");
    if (++depth_ > kDeepest) {
      throw refusal(node, fmt::format("the pickle is nested deeper than {} levels", kDeepest));
    }
    open_[ref] = true;
  }

  void leave(Ref ref) {
    open_[ref] = false;
    --depth_;
  }

  const PickleGraph& graph_;
  const PickleOptions& options_;
  std::vector<bool> open_;
  std::unordered_map<Ref, Array> arrays_;
  std::size_t most_items_;
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
  int depth_ = 0;
};

}  // namespace

Value unfold_pickle(const PickleGraph& graph, const PickleOptions& options) {
  return Unfolder(graph, options).unfold(graph.root);
}

Value read_pickle(std::span<const std::byte> bytes, const PickleOptions& options) {
  return unfold_pickle(run_pickle(bytes, options), options);
}

}  // namespace ridgeline
