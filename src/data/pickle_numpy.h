#pragma once

#include <span>

#include "data/pickle_context.h"

namespace ridgeline {

// NumPy's arrays: _reconstruct(ndarray, (0,), b'b') makes an empty one, its state fills it.
[[nodiscard]] PickleNode make_numpy_array(PickleGraph& graph, std::span<const Ref> arguments,
                                          const PickleContext& context);
void fill_numpy_array(const PickleGraph& graph, PickleArray& array, Ref state,
                      const PickleContext& context);
// Protocol 5 writes _frombuffer(bytes, dtype, shape, 'C') instead.
[[nodiscard]] PickleNode make_numpy_array_from_buffer(PickleGraph& graph,
                                                      std::span<const Ref> arguments,
                                                      const PickleContext& context);
// scalar(dtype, bytes): a number.
[[nodiscard]] PickleNode make_numpy_scalar(PickleGraph& graph, std::span<const Ref> arguments,
                                           const PickleContext& context);
// dtype('f4', False, True), whose state must say little-endian and nothing unusual.
[[nodiscard]] PickleNode make_numpy_dtype(PickleGraph& graph, std::span<const Ref> arguments,
                                          const PickleContext& context);
void check_numpy_dtype_state(const PickleGraph& graph, Ref state, const PickleContext& context);

}  // namespace ridgeline
