#pragma once

#include <cstddef>
#include <memory>

#include "engine/backend.h"

namespace ridgeline {

// Copies on a stream of its own; events order it with the current stream, slot by slot.
[[nodiscard]] std::unique_ptr<Uploader> make_cuda_uploader(std::size_t slots);
// Page-locked; goes back to the driver when the last owner lets go.
[[nodiscard]] std::shared_ptr<std::byte> allocate_page_locked(std::size_t bytes);

}  // namespace ridgeline
