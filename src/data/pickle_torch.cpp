#include "data/pickle_torch.h"

#include <fmt/format.h>

#include "core/malformed.h"
#include "data/torch_names.h"

namespace ridgeline {
namespace {

constexpr std::string_view kStrange = "a torch tensor with strange arguments";

std::string global_name(const PickleGraph& graph, Ref ref, const PickleContext& context) {
  const auto* const global = std::get_if<PickleGlobal>(&graph.nodes[ref].held);
  if (global == nullptr) throw context.refusal(kStrange);
  return global->name;
}

PickleNode make_tensor(PickleGraph& graph, std::span<const Ref> arguments,
                       std::optional<DType> dtype, const PickleContext& context) {
  const auto* const storage = std::get_if<PickleStorage>(&graph.nodes[arguments[0]].held);
  if (storage == nullptr) throw context.refusal(kStrange);
  if (!dtype) dtype = storage->dtype;
  if (!dtype) throw context.refusal("a torch tensor without a type");
  context.spend_bytes(graph, storage->key.size());
  StoredTensor tensor{.dtype = *dtype,
                      .storage = storage->key,
                      .storage_bytes = storage->bytes,
                      .layout = {.shape = context.numbers(graph, arguments[2]),
                                 .strides = context.numbers(graph, arguments[3]),
                                 .offset = context.number(graph, arguments[1])}};
  context.spend_items(graph, 2 * tensor.layout.shape.size());
  const auto end = end_of(tensor.layout);
  if (!end || !byte_count(*dtype, tensor.layout.shape) ||
      static_cast<std::uint64_t>(*end) > tensor.storage_bytes / size_of(*dtype)) {
    throw context.refusal(
        fmt::format("a torch tensor that reaches beyond its storage {} of {} bytes",
                    in_quotes(tensor.storage), tensor.storage_bytes));
  }
  return {.held = PickleTensor{.tensor = std::move(tensor)}};
}

}  // namespace

PickleNode make_torch_tensor(PickleGraph& graph, std::span<const Ref> arguments,
                             const PickleContext& context) {
  if (arguments.size() < 4) throw context.refusal(kStrange);
  return make_tensor(graph, arguments, std::nullopt, context);
}

PickleNode make_torch_tensor_of_dtype(PickleGraph& graph, std::span<const Ref> arguments,
                                      const PickleContext& context) {
  if (arguments.size() < 7) throw context.refusal(kStrange);
  const std::string name = global_name(graph, arguments[6], context);
  const auto dtype = parse_torch_dtype(name);
  if (!dtype) {
    throw context.refusal(fmt::format("a tensor of type {}, which is not read", in_quotes(name)));
  }
  return make_tensor(graph, arguments, dtype, context);
}

PickleNode make_torch_parameter(PickleGraph& graph, std::span<const Ref> arguments,
                                const PickleContext& context) {
  const auto* const held =
      arguments.empty() ? nullptr : std::get_if<PickleTensor>(&graph.nodes[arguments[0]].held);
  if (held == nullptr) throw context.refusal("a torch parameter without a tensor");
  context.spend_items(graph, 1 + 2 * held->tensor.layout.shape.size());
  context.spend_bytes(graph, held->tensor.storage.size());
  return {.held = graph.nodes[arguments[0]].held};
}

PickleNode resolve_storage(PickleGraph& graph, Ref id, const PickleOptions& options,
                           std::uint64_t offset) {
  const PickleContext context{.options = options, .offset = offset};
  if (!options.tensor) throw context.refusal("a reference to data outside the pickle");
  const auto& items = context.sequence(graph, id);
  if (items.size() < 5 || context.text(graph, items[0]) != "storage") {
    throw context.refusal("a persistent id that names no storage");
  }
  const std::string type = global_name(graph, items[1], context);
  const auto dtype = parse_torch_storage(type);
  if (!dtype && type != kUntypedStorage) {
    throw context.refusal(fmt::format("a storage of type {}, which is not read", in_quotes(type)));
  }
  const std::int64_t count = context.number(graph, items[4]);
  const auto bytes = byte_count(dtype.value_or(DType::U8), std::span(&count, 1));
  if (!bytes) throw context.refusal("a storage of an impossible size");
  return {.held = PickleStorage{
              .dtype = dtype, .key = context.copied_name(graph, items[2]), .bytes = *bytes}};
}

}  // namespace ridgeline
