#include "data/array_view.h"

#include <cstring>
#include <utility>

#include "core/error.h"

namespace ridgeline {
namespace {

bool multiply(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

Array allocate(DType dtype, std::vector<std::int64_t> shape, std::byte*& out) {
  const auto size = byte_count(dtype, shape);
  RIDGELINE_CHECK(size.has_value());
  const auto buffer = std::make_shared<std::vector<std::byte>>(*size);
  out = buffer->data();
  return {.dtype = dtype, .shape = std::move(shape), .bytes = *buffer, .owner = buffer};
}

// Walks the outer dimensions by index and copies the innermost; Size is the element's, so that its
// copy is one instruction.
template <std::size_t Size>
void gather_elements(const Layout& layout, const std::byte* storage, std::byte* out) {
  const std::size_t inner = layout.shape.size() - 1;
  std::vector<std::int64_t> index(layout.shape.size(), 0);
  std::int64_t base = layout.offset;
  for (;;) {
    for (std::int64_t i = 0; i < layout.shape[inner]; ++i, out += Size) {
      const std::int64_t element = base + i * layout.strides[inner];
      std::memcpy(out, storage + static_cast<std::size_t>(element) * Size, Size);
    }
    std::size_t dimension = inner;
    for (;;) {
      if (dimension == 0) return;
      --dimension;
      base += layout.strides[dimension];
      if (++index[dimension] < layout.shape[dimension]) break;
      base -= layout.shape[dimension] * layout.strides[dimension];
      index[dimension] = 0;
    }
  }
}

}  // namespace

std::optional<std::size_t> byte_count(DType dtype, std::span<const std::int64_t> shape) {
  const auto bits = static_cast<std::int64_t>(bits_of(dtype));
  std::int64_t total = bits % 8 == 0 ? bits / 8 : 1;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) empty = true;
    // A zero must not hide an overflow of the others: element_count multiplies them in order.
    if (size != 0 && !multiply(total, size, total)) return std::nullopt;
  }
  if (empty) return 0;
  if (bits % 8 == 0) return static_cast<std::size_t>(total);
  // Packed: what does not fill its last byte has no place of its own.
  if (!multiply(total, bits, total) || total % 8 != 0) return std::nullopt;
  return static_cast<std::size_t>(total / 8);
}

bool is_aligned(std::span<const std::byte> bytes, DType dtype) {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % size_of(dtype) == 0;
}

Array own_copy(DType dtype, std::vector<std::int64_t> shape, std::span<const std::byte> bytes) {
  std::byte* out = nullptr;
  Array array = allocate(dtype, std::move(shape), out);
  RIDGELINE_CHECK(array.bytes.size() == bytes.size());
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return array;
}

Array view_or_copy(DType dtype, std::vector<std::int64_t> shape, std::span<const std::byte> bytes,
                   std::shared_ptr<const void> owner) {
  RIDGELINE_CHECK(byte_count(dtype, shape) == bytes.size());
  if (!is_aligned(bytes, dtype)) return own_copy(dtype, std::move(shape), bytes);
  return {.dtype = dtype, .shape = std::move(shape), .bytes = bytes, .owner = std::move(owner)};
}

std::optional<std::int64_t> end_of(const Layout& layout) {
  if (layout.shape.size() != layout.strides.size() || layout.offset < 0) return std::nullopt;
  std::int64_t last = layout.offset;
  bool empty = false;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] < 0 || layout.strides[i] < 0) return std::nullopt;
    if (layout.shape[i] == 0) {
      empty = true;
      continue;
    }
    std::int64_t reach = 0;
    if (!multiply(layout.shape[i] - 1, layout.strides[i], reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  if (empty) return 0;
  std::int64_t end = 0;
  if (__builtin_add_overflow(last, 1, &end)) return std::nullopt;
  return end;
}

bool is_row_major(const Layout& layout) {
  std::int64_t expected = 1;
  for (std::size_t i = layout.shape.size(); i-- > 0;) {
    // The stride of a dimension of one element is never used.
    if (layout.shape[i] != 1 && layout.strides[i] != expected) return false;
    if (!multiply(expected, layout.shape[i], expected)) return false;
  }
  return true;
}

Array gather(DType dtype, const Layout& given, std::span<const std::byte> storage) {
  Layout layout = given;
  const auto end = end_of(layout);
  RIDGELINE_CHECK(end.has_value() &&
                  static_cast<std::uint64_t>(*end) <= storage.size() / size_of(dtype));
  std::byte* out = nullptr;
  Array array = allocate(dtype, layout.shape, out);
  if (array.bytes.empty()) return array;
  // Never used, so a file may say anything there; the walk must not add it up.
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    if (layout.shape[i] == 1) layout.strides[i] = 0;
  }
  if (layout.shape.empty()) {
    std::memcpy(out, storage.data() + static_cast<std::size_t>(layout.offset) * size_of(dtype),
                size_of(dtype));
    return array;
  }
  switch (size_of(dtype)) {
    case 1:
      gather_elements<1>(layout, storage.data(), out);
      break;
    case 2:
      gather_elements<2>(layout, storage.data(), out);
      break;
    case 4:
      gather_elements<4>(layout, storage.data(), out);
      break;
    default:
      gather_elements<8>(layout, storage.data(), out);
      break;
  }
  return array;
}

}  // namespace ridgeline
