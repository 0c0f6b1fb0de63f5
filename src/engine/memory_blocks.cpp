#include "engine/memory_blocks.h"

#include <ATen/core/Tensor.h>

namespace ridgeline {

std::atomic<BlockListener*> block_listener{nullptr};

void name_memory(BlockListener& listener, const at::Tensor& tensor, MemoryKind kind) {
  if (!tensor.defined() || !tensor.has_storage()) return;
  const c10::Storage& storage = tensor.storage();
  if (storage.data() == nullptr || storage.nbytes() == 0) return;
  listener.name_block({.address = reinterpret_cast<std::uint64_t>(storage.data()),
                       .bytes = static_cast<std::int64_t>(storage.nbytes()),
                       .kind = kind,
                       .on_device = !tensor.device().is_cpu()});
}

void name_memory(BlockListener& listener, const Tensors& tensors, MemoryKind kind) {
  for (const at::Tensor& tensor : tensors) name_memory(listener, tensor, kind);
}

void name_memory(BlockListener& listener, const NamedTensors& tensors, MemoryKind kind) {
  for (const auto& [name, tensor] : tensors) name_memory(listener, tensor, kind);
}

}  // namespace ridgeline
