#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/array_view.h"
#include "data/value.h"

namespace ridgeline {

// A tensor as a pickle describes it: a part of a storage that lies elsewhere.
struct StoredTensor {
  DType dtype = DType::F32;
  std::string storage;  // the record's name
  std::uint64_t storage_bytes = 0;
  Layout layout;
};

struct PickleOptions {
  std::string_view source;            // names the file in errors
  std::shared_ptr<const void> owner;  // of the bytes; without one, arrays are copied
  // Finds a tensor's bytes. Without it tensors are refused.
  std::function<Array(const StoredTensor&)> tensor;
};

// Reads Python's pickles of protocol 0 to 5 without executing anything: a global is a name, and
// only those on a short list (dictionaries, NumPy arrays, torch tensors) may be called, which here
// means turned into a value of ours. Tuples become lists, byte strings become strings, a torch
// dtype the string "torch.float32". Throws Error(BadInput) with source and offset for everything
// else: other globals (by name), numbers beyond 64 bits, structures that contain themselves, are
// nested too deeply or unfold into too many items.
[[nodiscard]] Value read_pickle(std::span<const std::byte> bytes, const PickleOptions& options);

}  // namespace ridgeline
