#pragma once

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "core/file_descriptor.h"

namespace ridgeline {

// A lock that other processes see and that ends with this one, however that ends. The file and the
// folders made for it are gone with it, the folders as far as nothing else is in them.
class FileLock {
 public:
  // Absent when somebody else holds it. On a file system without locks everybody does. Throws
  // Error(Io) when the file cannot be made.
  [[nodiscard]] static std::optional<FileLock> take(const std::filesystem::path& path);
  FileLock(FileLock&& other) noexcept = default;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path path, std::vector<std::filesystem::path> made, FileDescriptor file)
      : path_(std::move(path)), made_(std::move(made)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // the deepest first
  FileDescriptor file_;
};

}  // namespace ridgeline
