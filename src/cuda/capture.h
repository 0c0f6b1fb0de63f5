#pragma once

#include <functional>
#include <memory>

#include "engine/backend.h"

namespace ridgeline {

// Records what `body` launches on the current stream, which must not be the default one. Memory
// that `body` allocates belongs to the graph. Out of memory passes through; other failures become
// Error(Device), and the stream and the allocator are usable afterwards.
[[nodiscard]] std::unique_ptr<CapturedWork> capture_cuda_graph(const std::function<void()>& body);

}  // namespace ridgeline
