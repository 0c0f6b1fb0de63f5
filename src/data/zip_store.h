#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

// What is said of a TorchScript program, a zip file too, whose code is compressed.
inline constexpr std::string_view kIsTorchScript =
    "a TorchScript program, not weights; convert it in Python: "
    "torch.save(torch.jit.load(FILE).state_dict(), FILE)";

struct ZipEntry {
  std::string name;
  std::uint64_t header = 0;  // where its local header stands in the file
  std::uint64_t begin = 0;   // and its bytes
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
};

// The entries of a zip file without compression, as torch.save writes it. Own code and not libzip,
// because tensors are to be used where they lie in the mapped file.
class ZipStore {
 public:
  // Throws Error(BadInput) with source and place unless every entry is stored, lies inside the
  // file, overlaps no other and has a name of its own that stays inside a folder. `bytes` must
  // outlive it.
  ZipStore(std::span<const std::byte> bytes, std::string source);

  [[nodiscard]] const std::vector<ZipEntry>& entries() const { return entries_; }
  // Null when there is none of that name.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;
  [[nodiscard]] std::span<const std::byte> bytes(const ZipEntry& entry) const;
  // The same, with the checksum verified.
  [[nodiscard]] std::span<const std::byte> checked_bytes(const ZipEntry& entry) const;
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  std::span<const std::byte> bytes_;
  std::string source_;
  std::vector<ZipEntry> entries_;  // by name
};

// True when the bytes begin as a zip file does.
[[nodiscard]] bool looks_like_zip(std::span<const std::byte> bytes);
// Checksum of zip files, with zlib.
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes);

}  // namespace ridgeline
