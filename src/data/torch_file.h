#pragma once

#include <filesystem>

#include "data/value.h"

namespace ridgeline {

// What torch.save wrote: dictionaries, lists, numbers, text and tensors. A tensor that is
// contiguous in its storage points into the mapped file; others are copied into row-major order.
// Nothing in the file is executed (data/pickle.h). Throws Error(BadInput) with path and place.
[[nodiscard]] Value read_torch_file(const std::filesystem::path& path);
// The same from bytes that `owner` keeps alive.
[[nodiscard]] Value parse_torch_file(std::span<const std::byte> bytes, const std::string& source,
                                     const std::shared_ptr<const void>& owner);

// A file that Python's torch.load(path, weights_only=True) opens: dictionaries become dict (what
// load_state_dict takes), lists list. Replaces the file at once; throws Error(Io) with the reason.
void write_torch_file(const std::filesystem::path& path, const Value& value);

}  // namespace ridgeline
