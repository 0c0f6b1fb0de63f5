#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/atomic_writer.h"
#include "data/zip_store.h"

namespace ridgeline {

// Writes a zip file without compression whose data begins on multiples of 64 bytes, as torch does,
// so that a reader can map it and use tensors in place. The target is replaced in finish(), at
// once: a full disk or a kill leaves the old file.
class ZipWriter {
 public:
  struct Options {
    // Sizes and places from here on are written as 64 bits; lower only to test that.
    std::uint64_t first_64_bit = 0xffffffff;
  };
  explicit ZipWriter(const std::filesystem::path& path) : ZipWriter(path, Options{}) {}
  ZipWriter(const std::filesystem::path& path, const Options& options)
      : writer_(path), options_(options) {}

  // Each name once. Throws Error(Io) with path and reason.
  void add(std::string_view name, std::span<const std::byte> bytes);
  void add(std::string_view name, std::string_view text);
  void finish();

 private:
  void write_directory();

  AtomicWriter writer_;
  Options options_;
  std::vector<ZipEntry> entries_;
};

}  // namespace ridgeline
