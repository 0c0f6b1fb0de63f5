#pragma once

#include "core/error.h"
#include "data/pickle_graph.h"

namespace ridgeline {

// Takes arguments apart for whoever makes a value of them; each complains with the place.
struct PickleContext {
  const PickleOptions& options;
  std::uint64_t offset = 0;

  // Counts what is copied: a short pickle can ask for one long copy a thousand times.
  void spend_items(PickleGraph& graph, std::size_t items) const;
  void spend_bytes(PickleGraph& graph, std::size_t bytes) const;
  [[nodiscard]] Error refusal(std::string_view what) const;
  // A copy of a text that is a name, paid for; refused when no sane writer makes one so long.
  [[nodiscard]] std::string copied_name(PickleGraph& graph, Ref ref) const;
  [[nodiscard]] const std::vector<Ref>& sequence(const PickleGraph& graph, Ref ref) const;
  [[nodiscard]] std::string_view text(const PickleGraph& graph, Ref ref) const;
  [[nodiscard]] std::int64_t number(const PickleGraph& graph, Ref ref) const;
  // At most 64 of them: a shape or its strides.
  [[nodiscard]] std::vector<std::int64_t> numbers(const PickleGraph& graph, Ref ref) const;
};

}  // namespace ridgeline
