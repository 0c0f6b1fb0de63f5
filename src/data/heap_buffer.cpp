#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/mman.h>

#include "core/error.h"
#include "data/loader.h"

namespace ridgeline {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} * 1024 * 1024;

}  // namespace

std::shared_ptr<std::byte> allocate_on_heap(std::size_t bytes) {
  const bool large = bytes >= kHugePage;
  const std::size_t alignment = large ? kHugePage : 64;
  const std::size_t rounded = std::max((bytes + alignment - 1) / alignment * alignment, alignment);
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (memory == nullptr)
    throw Error(Fault::Memory, fmt::format("no memory for a batch of {} bytes", bytes));
  // Advice: fewer page faults and address translations where the kernel follows it.
  if (large) (void)madvise(memory, rounded, MADV_HUGEPAGE);
  return {memory, [](std::byte* block) { std::free(block); }};
}

}  // namespace ridgeline
