#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/pickle_context.h"
#include "data/pickle_graph.h"
#include "data/pickle_numpy.h"
#include "data/pickle_text.h"
#include "data/pickle_torch.h"

namespace ridgeline {
namespace {

using Arguments = std::span<const Ref>;

PickleNode make_dict(PickleGraph& graph, Arguments arguments, const PickleContext& context) {
  PickleDict dict;
  if (!arguments.empty()) {
    // Python 2 gives an OrderedDict its items as a list of pairs, a Counter gets a dictionary.
    const auto& held = graph.nodes[arguments[0]].held;
    if (const auto* const given = std::get_if<PickleDict>(&held)) {
      context.spend_items(graph, given->items.size());
      dict = *given;
    } else {
      context.spend_items(graph, context.sequence(graph, arguments[0]).size());
      for (const Ref pair : context.sequence(graph, arguments[0])) {
        const auto& items = context.sequence(graph, pair);
        if (items.size() != 2) throw context.refusal("a dictionary made of what are no pairs");
        dict.items.emplace_back(items[0], items[1]);
      }
    }
  }
  return {.held = std::move(dict)};
}

// How Python 3 writes bytes in protocol 2: _codecs.encode(text, 'latin1').
PickleNode make_bytes(PickleGraph& graph, Arguments arguments, const PickleContext& context) {
  if (arguments.empty()) return {.held = PickleText{.text = {}}};
  if (arguments.size() > 1 && context.text(graph, arguments[1]) != "latin1") {
    throw context.refusal("bytes in another encoding than latin1");
  }
  context.spend_bytes(graph, context.text(graph, arguments[0]).size());
  auto bytes = latin1_bytes(context.text(graph, arguments[0]));
  if (!bytes) throw context.refusal("bytes with a character above 255");
  return {.held = PickleText{.text = graph.texts.emplace_back(std::move(*bytes))}};
}

PickleNode make_size(PickleGraph& graph, Arguments arguments, const PickleContext& context) {
  if (arguments.size() != 1) throw context.refusal("a torch.Size without sizes");
  context.spend_items(graph, context.sequence(graph, arguments[0]).size());
  return {.held = PickleSequence{.items = context.sequence(graph, arguments[0]), .is_tuple = true}};
}

// torch.device('cuda', 0) becomes "cuda:0".
PickleNode make_device(PickleGraph& graph, Arguments arguments, const PickleContext& context) {
  if (arguments.empty()) throw context.refusal("a torch.device without a name");
  std::string name = context.copied_name(graph, arguments[0]);
  if (arguments.size() > 1) name += fmt::format(":{}", context.number(graph, arguments[1]));
  return {.held = PickleText{.text = graph.texts.emplace_back(std::move(name))}};
}

struct Allowed {
  std::string_view global;
  PickleNode (*make)(PickleGraph&, Arguments, const PickleContext&);
};
// All that a pickle may call. Each only makes values of ours.
constexpr std::array kAllowed{
    Allowed{"collections.OrderedDict", make_dict},
    Allowed{"collections.Counter", make_dict},
    Allowed{"__builtin__.dict", make_dict},
    Allowed{"builtins.dict", make_dict},
    Allowed{"_codecs.encode", make_bytes},
    Allowed{"__builtin__.bytes", make_bytes},
    Allowed{"builtins.bytes", make_bytes},
    Allowed{"numpy.core.multiarray._reconstruct", make_numpy_array},
    Allowed{"numpy._core.multiarray._reconstruct", make_numpy_array},
    Allowed{"numpy.core.numeric._frombuffer", make_numpy_array_from_buffer},
    Allowed{"numpy._core.numeric._frombuffer", make_numpy_array_from_buffer},
    Allowed{"numpy.core.multiarray.scalar", make_numpy_scalar},
    Allowed{"numpy._core.multiarray.scalar", make_numpy_scalar},
    Allowed{"numpy.dtype", make_numpy_dtype},
    Allowed{"torch.Size", make_size},
    Allowed{"torch.device", make_device},
    Allowed{"torch._utils._rebuild_tensor", make_torch_tensor},
    Allowed{"torch._utils._rebuild_tensor_v2", make_torch_tensor},
    Allowed{"torch._utils._rebuild_tensor_v3", make_torch_tensor_of_dtype},
    Allowed{"torch._utils._rebuild_parameter", make_torch_parameter},
    Allowed{"torch._utils._rebuild_parameter_with_state", make_torch_parameter},
};

}  // namespace

Error PickleContext::refusal(std::string_view what) const {
  return malformed(options.source, offset, what);
}

void PickleContext::spend_items(PickleGraph& graph, std::size_t items) const {
  graph.copied_items += items;
  if (graph.copied_items > kMostPickleItems) throw refusal("the pickle copies too much");
}

void PickleContext::spend_bytes(PickleGraph& graph, std::size_t bytes) const {
  graph.copied_bytes += bytes;
  if (graph.copied_bytes > most_copied_bytes(graph)) throw refusal("the pickle copies too much");
}

std::string PickleContext::copied_name(PickleGraph& graph, Ref ref) const {
  constexpr std::size_t kLongest = 1024;
  const std::string_view name = text(graph, ref);
  if (name.size() > kLongest) {
    throw refusal(fmt::format("a name of {} bytes; {} are the most", name.size(), kLongest));
  }
  spend_bytes(graph, name.size());
  return std::string(name);
}

const std::vector<Ref>& PickleContext::sequence(const PickleGraph& graph, Ref ref) const {
  const auto* const held = std::get_if<PickleSequence>(&graph.nodes[ref].held);
  if (held == nullptr) throw refusal("something else where a list or tuple is due");
  return held->items;
}

std::string_view PickleContext::text(const PickleGraph& graph, Ref ref) const {
  const auto* const held = std::get_if<PickleText>(&graph.nodes[ref].held);
  if (held == nullptr) throw refusal("something else where text is due");
  return held->text;
}

std::int64_t PickleContext::number(const PickleGraph& graph, Ref ref) const {
  const auto* const held = std::get_if<std::int64_t>(&graph.nodes[ref].held);
  if (held == nullptr) throw refusal("something else where a whole number is due");
  return *held;
}

std::vector<std::int64_t> PickleContext::numbers(const PickleGraph& graph, Ref ref) const {
  constexpr std::size_t kMostDimensions = 64;
  std::vector<std::int64_t> values;
  for (const Ref item : sequence(graph, ref)) {
    if (values.size() == kMostDimensions) throw refusal("a shape of more than 64 dimensions");
    values.push_back(number(graph, item));
  }
  return values;
}

PickleNode reduce_pickle(PickleGraph& graph, const std::string& global,
                         const std::vector<Ref>& arguments, const PickleOptions& options,
                         std::uint64_t offset) {
  const auto* const allowed =
      std::ranges::find(kAllowed, std::string_view(global), &Allowed::global);
  if (allowed == kAllowed.end()) {
    throw malformed(options.source, offset,
                    fmt::format("the pickle would call {}; nothing in a file is executed, and this "
                                "is not among the data it may hold",
                                in_quotes(global)));
  }
  return allowed->make(graph, arguments, {.options = options, .offset = offset});
}

void build_pickle(PickleGraph& graph, Ref object, Ref state, const PickleOptions& options,
                  std::uint64_t offset) {
  const PickleContext context{.options = options, .offset = offset};
  auto& held = graph.nodes[object].held;
  // What hangs on a state_dict (its _metadata) or a parameter beside the data is not ours to keep.
  if (std::holds_alternative<PickleDict>(held) || std::holds_alternative<PickleTensor>(held)) {
    return;
  }
  if (auto* const array = std::get_if<PickleArray>(&held)) {
    return fill_numpy_array(graph, *array, state, context);
  }
  if (std::holds_alternative<PickleDType>(held)) {
    return check_numpy_dtype_state(graph, state, context);
  }
  throw context.refusal("the pickle gives a state to what has none");
}

}  // namespace ridgeline
