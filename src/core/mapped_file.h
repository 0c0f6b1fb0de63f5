#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace ridgeline {

// A file's bytes without a copy of them. Read-only and private; the file may be renamed, replaced
// by a rename or deleted meanwhile. Whoever cuts it short in place ends the process (SIGBUS), as
// with every mapping: our own writers therefore replace files and never rewrite them.
class MappedFile {
 public:
  // Throws Error(Io) when the file is missing, unreadable or not a regular file.
  explicit MappedFile(std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Shared, to be the owner of arrays that point into it.
  [[nodiscard]] static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path) {
    return std::make_shared<const MappedFile>(path);
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace ridgeline
