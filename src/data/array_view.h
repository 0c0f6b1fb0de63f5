#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/value.h"

namespace ridgeline {

// Bytes of a row-major tensor; absent when a size is negative or the product overflows.
[[nodiscard]] std::optional<std::size_t> byte_count(DType dtype,
                                                    std::span<const std::int64_t> shape);

// Whether elements of the type may be read in place.
[[nodiscard]] bool is_aligned(std::span<const std::byte> bytes, DType dtype);

// An array over these bytes, which must be as many as dtype and shape say. Where they are not
// aligned for the type they are copied: whoever gets an array may read its elements in place.
[[nodiscard]] Array view_or_copy(DType dtype, std::vector<std::int64_t> shape,
                                 std::span<const std::byte> bytes,
                                 std::shared_ptr<const void> owner);

// An array with bytes of its own.
[[nodiscard]] Array own_copy(DType dtype, std::vector<std::int64_t> shape,
                             std::span<const std::byte> bytes);

// A tensor as a part of a storage, in elements.
struct Layout {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};
// One past the last element that the layout touches; absent when a number is negative or the sum
// overflows. Zero for a tensor without elements.
[[nodiscard]] std::optional<std::int64_t> end_of(const Layout& layout);
[[nodiscard]] bool is_row_major(const Layout& layout);
// Gathers the elements into row-major order. The storage reaches end_of(layout).
[[nodiscard]] Array gather(DType dtype, const Layout& layout, std::span<const std::byte> storage);

}  // namespace ridgeline
