#include "data/zip_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/malformed.h"
#include "data/little_endian.h"
#include "data/zip_format.h"

namespace ridgeline {
namespace {

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;
};

// Reads the structures; every number is checked against the file before it is used.
class ZipReader {
 public:
  ZipReader(std::span<const std::byte> bytes, std::string_view source)
      : bytes_(bytes), source_(source) {}

  std::vector<ZipEntry> read() {
    const Directory directory = find_directory();
    std::vector<ZipEntry> entries;
    std::uint64_t at = directory.begin;
    const std::uint64_t end = directory.begin + directory.size;
    for (std::uint64_t i = 0; i < directory.count; ++i) {
      entries.push_back(read_entry(at, end));
      check_local_header(entries.back(), directory.begin);
    }
    if (at != end) throw refusal(at, "the directory is longer than its entries");
    check_overlaps(entries);
    return entries;
  }

 private:
  [[nodiscard]] Error refusal(std::uint64_t at, std::string_view what) const {
    return malformed(source_, at, what);
  }

  template <class Number>
  [[nodiscard]] Number number(std::uint64_t at) const {
    return load_number<Number>(bytes_, static_cast<std::size_t>(at));
  }

  [[nodiscard]] bool fits(std::uint64_t at, std::uint64_t size, std::uint64_t end) const {
    return at <= end && size <= end - at && end <= bytes_.size();
  }

  // The end record stands last, before a comment whose length it knows.
  [[nodiscard]] std::uint64_t find_end() const {
    if (bytes_.size() >= zip::kEndSize) {
      const std::size_t last = bytes_.size() - zip::kEndSize;
      const std::size_t first = last > zip::kLongestComment ? last - zip::kLongestComment : 0;
      for (std::size_t at = last + 1; at-- > first;) {
        if (number<std::uint32_t>(at) == zip::kEndSignature &&
            number<std::uint16_t>(at + 20) == last - at) {
          return at;
        }
      }
    }
    throw malformed(source_, "no end of a zip file: it was cut short or is another format");
  }

  [[nodiscard]] Directory find_directory() const {
    const std::uint64_t end = find_end();
    Directory directory{.begin = number<std::uint32_t>(end + 16),
                        .size = number<std::uint32_t>(end + 12),
                        .count = number<std::uint16_t>(end + 10)};
    bool one_disk = number<std::uint16_t>(end + 4) == 0 && number<std::uint16_t>(end + 6) == 0;
    std::uint64_t limit = end;
    if (end >= zip::kLocatorSize &&
        number<std::uint32_t>(end - zip::kLocatorSize) == zip::kLocatorSignature) {
      const auto at = number<std::uint64_t>(end - zip::kLocatorSize + 8);
      if (!fits(at, zip::kEnd64Size, end - zip::kLocatorSize) ||
          number<std::uint32_t>(at) != zip::kEnd64Signature) {
        throw refusal(end - zip::kLocatorSize, "the zip64 end record is not where it should be");
      }
      directory = {.begin = number<std::uint64_t>(at + 48),
                   .size = number<std::uint64_t>(at + 40),
                   .count = number<std::uint64_t>(at + 32)};
      one_disk = number<std::uint32_t>(at + 16) == 0 && number<std::uint32_t>(at + 20) == 0;
      limit = at;
    }
    if (!one_disk) throw refusal(end, "a zip file in several parts");
    if (!fits(directory.begin, directory.size, limit)) {
      throw refusal(end, "the zip directory reaches beyond the file");
    }
    // Also bounds what is reserved for a count that lies.
    if (directory.count > directory.size / zip::kCentralSize) {
      throw refusal(end, "the zip directory has more entries than room");
    }
    return directory;
  }

  // The 64-bit values of an entry, in this order, for those fields that are full.
  void read_extra64(std::uint64_t at, std::uint64_t end, ZipEntry& entry,
                    std::uint64_t& packed) const {
    while (end - at >= 4) {
      const auto id = number<std::uint16_t>(at);
      const std::uint64_t size = number<std::uint16_t>(at + 2);
      at += 4;
      if (size > end - at) throw refusal(at, "an extra field reaches beyond its entry");
      if (id == zip::kExtra64) {
        std::uint64_t field = at;
        for (std::uint64_t* const value : {&entry.size, &packed, &entry.header}) {
          if (*value != zip::kIn64) continue;
          if (at + size - field < sizeof *value) throw refusal(at, "a zip64 field is too short");
          *value = number<std::uint64_t>(field);
          field += sizeof *value;
        }
        return;
      }
      at += size;
    }
  }

  void check_kind(std::uint64_t at, const std::string& name, std::uint16_t flags,
                  std::uint16_t method) const {
    if (!stays_inside(name)) {
      throw refusal(at, fmt::format("the entry {} would leave its folder", in_quotes(name)));
    }
    if ((flags & zip::kFlagEncrypted) != 0) {
      throw refusal(at, fmt::format("the entry {} is encrypted", in_quotes(name)));
    }
    if (method != 0 && name.find("/code/") != std::string::npos)
      throw malformed(source_, kIsTorchScript);
    if (method != 0) {
      throw refusal(at, fmt::format("the entry {} is compressed (method {}); torch.save does not "
                                    "compress, pack it again without",
                                    in_quotes(name), method));
    }
  }

  ZipEntry read_entry(std::uint64_t& at, std::uint64_t end) const {
    if (!fits(at, zip::kCentralSize, end) || number<std::uint32_t>(at) != zip::kCentralSignature) {
      throw refusal(at, "the zip directory is damaged");
    }
    const std::uint64_t name_size = number<std::uint16_t>(at + 28);
    const std::uint64_t extra_size = number<std::uint16_t>(at + 30);
    const std::uint64_t comment_size = number<std::uint16_t>(at + 32);
    const std::uint64_t tail = at + zip::kCentralSize;
    if (!fits(tail, name_size + extra_size + comment_size, end)) {
      throw refusal(at, "the zip directory ends within an entry");
    }
    ZipEntry entry{.name = text(tail, name_size),
                   .header = number<std::uint32_t>(at + 42),
                   .begin = 0,
                   .size = number<std::uint32_t>(at + 24),
                   .crc = number<std::uint32_t>(at + 16)};
    std::uint64_t packed = number<std::uint32_t>(at + 20);
    read_extra64(tail + name_size, tail + name_size + extra_size, entry, packed);
    check_kind(at, entry.name, number<std::uint16_t>(at + 8), number<std::uint16_t>(at + 10));
    if (packed != entry.size) throw refusal(at, "a stored entry with two sizes");
    at = tail + name_size + extra_size + comment_size;
    return entry;
  }

  [[nodiscard]] std::string text(std::uint64_t at, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, static_cast<std::size_t>(size)};
  }

  void check_local_header(ZipEntry& entry, std::uint64_t limit) const {
    const std::uint64_t at = entry.header;
    const auto refuse = [&](std::string_view what) {
      return refusal(at, fmt::format("the entry {} {}", in_quotes(entry.name), what));
    };
    if (!fits(at, zip::kLocalSize, limit) || number<std::uint32_t>(at) != zip::kLocalSignature) {
      throw refuse("has no header where the directory says");
    }
    const std::uint64_t name_size = number<std::uint16_t>(at + 26);
    const std::uint64_t extra_size = number<std::uint16_t>(at + 28);
    if (!fits(at + zip::kLocalSize, name_size + extra_size, limit) ||
        text(at + zip::kLocalSize, name_size) != entry.name) {
      throw refuse("is called otherwise in its own header");
    }
    if (number<std::uint16_t>(at + 8) != 0) throw refuse("is compressed in its own header");
    const bool sizes_follow = (number<std::uint16_t>(at + 6) & zip::kFlagSizesFollow) != 0;
    const auto size = number<std::uint32_t>(at + 22);
    const bool same = size == entry.size || size == zip::kIn64;
    if (!same && !(sizes_follow && size == 0)) throw refuse("has two sizes");
    entry.begin = at + zip::kLocalSize + name_size + extra_size;
    if (!fits(entry.begin, entry.size, limit)) throw refuse("reaches beyond the data");
  }

  void check_overlaps(std::vector<ZipEntry>& entries) const {
    std::ranges::sort(entries, {}, &ZipEntry::header);
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].header < entries[i - 1].begin + entries[i - 1].size) {
        throw refusal(entries[i].header,
                      fmt::format("the entries {} and {} overlap", in_quotes(entries[i - 1].name),
                                  in_quotes(entries[i].name)));
      }
    }
    std::ranges::sort(entries, {}, &ZipEntry::name);
    const auto twin = std::ranges::adjacent_find(entries, {}, &ZipEntry::name);
    if (twin != entries.end()) {
      throw refusal(twin->header, fmt::format("the entry {} stands twice", in_quotes(twin->name)));
    }
  }

  std::span<const std::byte> bytes_;
  std::string_view source_;
};

}  // namespace

ZipStore::ZipStore(std::span<const std::byte> bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)), entries_(ZipReader(bytes, source_).read()) {}

const ZipEntry* ZipStore::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      entries_, name, {}, [](const ZipEntry& entry) { return std::string_view(entry.name); });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

std::span<const std::byte> ZipStore::bytes(const ZipEntry& entry) const {
  return bytes_.subspan(static_cast<std::size_t>(entry.begin),
                        static_cast<std::size_t>(entry.size));
}

std::span<const std::byte> ZipStore::checked_bytes(const ZipEntry& entry) const {
  const auto part = bytes(entry);
  if (crc32_of(part) != entry.crc) {
    throw malformed(
        source_, entry.begin,
        fmt::format("the entry {} is damaged: its checksum differs", in_quotes(entry.name)));
  }
  return part;
}

bool looks_like_zip(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && load_number<std::uint32_t>(bytes, 0) == zip::kLocalSignature;
}

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  const uLong crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return static_cast<std::uint32_t>(crc);
}

}  // namespace ridgeline
