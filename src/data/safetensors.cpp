#include "data/safetensors.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/malformed.h"
#include "core/mapped_file.h"
#include "data/array_view.h"
#include "data/little_endian.h"
#include "data/safetensors_header.h"

namespace ridgeline {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit

std::string_view header_text(std::span<const std::byte> bytes, std::string_view source) {
  if (bytes.size() < kLengthBytes) {
    throw malformed(source, fmt::format("no safetensors file: only {} bytes", bytes.size()));
  }
  const auto length = load_number<std::uint64_t>(bytes, 0);
  if (length > kLongestHeader) {
    throw malformed(source, 0,
                    fmt::format("a header of {} bytes; safetensors allows {}, so this is another "
                                "format or damaged",
                                length, kLongestHeader));
  }
  if (length > bytes.size() - kLengthBytes) {
    throw malformed(source, 0,
                    fmt::format("a header of {} bytes in a file of {}", length, bytes.size()));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes,
          static_cast<std::size_t>(length)};
}

// Sorted by place, every tensor must begin where the one before ended, and the last must end with
// the file: then there is neither an overlap nor a gap nor anything outside.
void check_places(const std::vector<SafetensorsEntry>& entries, std::uint64_t size,
                  std::string_view source) {
  std::uint64_t expected = 0;
  for (const SafetensorsEntry& entry : entries) {
    const auto refuse = [&](std::string_view what) {
      return malformed(source, fmt::format("tensor {} (bytes {} to {}) {}", in_quotes(entry.name),
                                           entry.begin, entry.end, what));
    };
    if (entry.end < entry.begin) throw refuse("ends before it begins");
    if (entry.end > size) throw refuse(fmt::format("reaches beyond the {} bytes of data", size));
    if (entry.begin < expected) throw refuse("overlaps the one before it");
    if (entry.begin > expected) {
      throw refuse(fmt::format("leaves a gap: the one before it ends at {}", expected));
    }
    const std::size_t entry_bits = bits_of(entry.dtype);
    const auto needed = byte_count(entry.dtype, entry.shape);
    if (!needed)
      throw refuse(entry_bits % 8 == 0 ? "has a shape that overflows"
                                       : "has a shape that overflows or fills no whole bytes");
    if (*needed != entry.end - entry.begin) {
      throw refuse(fmt::format("needs {} bytes by its type and shape", *needed));
    }
    expected = entry.end;
  }
  if (expected != size) {
    throw malformed(source, fmt::format("{} bytes follow the last tensor", size - expected));
  }
}

}  // namespace

Safetensors parse_safetensors(std::span<const std::byte> bytes, std::string_view source,
                              const std::shared_ptr<const void>& owner) {
  const std::string_view text = header_text(bytes, source);
  SafetensorsHeader header = parse_safetensors_header(text, source);
  const auto data = bytes.subspan(kLengthBytes + text.size());
  // Tensors without elements share their place with the next one.
  std::ranges::stable_sort(header.entries, {}, [](const SafetensorsEntry& entry) {
    return std::pair(entry.begin, entry.end);
  });
  check_places(header.entries, data.size(), source);
  Safetensors file;
  file.metadata = std::move(header.metadata);
  file.arrays.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    const auto place = data.subspan(static_cast<std::size_t>(entry.begin),
                                    static_cast<std::size_t>(entry.end - entry.begin));
    file.arrays.emplace_back(std::move(entry.name),
                             view_or_copy(entry.dtype, std::move(entry.shape), place, owner));
  }
  return file;
}

NamedArrays read_safetensors(const std::filesystem::path& path) {
  const auto file = MappedFile::open(path);
  return parse_safetensors(file->bytes(), path.string(), file).arrays;
}

}  // namespace ridgeline
