#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/tensors.h"

namespace ridgeline {

// What a piece of memory is for; in the order in which pictures stack them, the lasting first.
enum class MemoryKind : std::uint8_t {
  Parameter,
  OptimizerState,
  Buffer,  // what a model or a training keeps besides: statistics, tables, averages
  Input,
  Gradient,    // of parameters
  Activation,  // left by a forward for what comes after it
  Temporary,   // allocated and freed within one phase
  Other,       // not known
};
inline constexpr std::size_t kMemoryKinds = 8;
[[nodiscard]] constexpr const char* name_of(MemoryKind kind) {
  constexpr std::array<const char*, kMemoryKinds> kNames{
      "parameters", "optimizer state", "buffers",     "inputs",
      "gradients",  "activations",     "temporaries", "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

// A tensor's storage as its allocator knows it.
struct MemoryBlock {
  std::uint64_t address{};
  std::int64_t bytes{};
  MemoryKind kind = MemoryKind::Other;
  bool on_device = false;
};

// Who wants to know what blocks are for. A step names all that it keeps when it begins, and the
// gradients when a backward has ended, on the thread that steps. Blocks may be named repeatedly.
class BlockListener {
 public:
  virtual ~BlockListener() = default;
  virtual void name_block(const MemoryBlock& block) noexcept = 0;
};

// Null while nobody listens, which is nearly always. Lives in the engine library.
extern std::atomic<BlockListener*> block_listener;

// Tensors without a storage of their own (undefined, sparse, empty) are passed over.
void name_memory(BlockListener& listener, const at::Tensor& tensor, MemoryKind kind);
void name_memory(BlockListener& listener, const Tensors& tensors, MemoryKind kind);
void name_memory(BlockListener& listener, const NamedTensors& tensors, MemoryKind kind);

}  // namespace ridgeline
