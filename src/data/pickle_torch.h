#pragma once

#include <span>

#include "data/pickle_context.h"

namespace ridgeline {

// _rebuild_tensor_v2(storage, offset, size, strides, ...).
[[nodiscard]] PickleNode make_torch_tensor(PickleGraph& graph, std::span<const Ref> arguments,
                                           const PickleContext& context);
// _rebuild_tensor_v3(storage, offset, size, strides, grad, hooks, dtype): for types younger than
// the typed storages.
[[nodiscard]] PickleNode make_torch_tensor_of_dtype(PickleGraph& graph,
                                                    std::span<const Ref> arguments,
                                                    const PickleContext& context);
// A parameter is its tensor.
[[nodiscard]] PickleNode make_torch_parameter(PickleGraph& graph, std::span<const Ref> arguments,
                                              const PickleContext& context);

}  // namespace ridgeline
