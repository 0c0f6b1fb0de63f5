#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"

namespace ridgeline {

// Of which version of which URL a part is.
struct PartOrigin {
  std::string url{};
  std::string validator{};  // what If-Range takes: a strong ETag, or a date; empty when unknown
  bool operator==(const PartOrigin&) const = default;
};

// A download on its way: `NAME.part`, and `NAME.part.from`, which says what it is a part of. Both
// outlive the program, so that a later one goes on; `NAME` appears only when it is complete. One
// process at a time: the part is locked. Throws Error(Io) with path and reason.
class PartFile {
 public:
  // Makes the folder and the part, or takes up an old one.
  explicit PartFile(const std::filesystem::path& target);
  ~PartFile();  // one in which nothing is goes
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] PartOrigin origin() const;  // empty when unknown

  void start_over(const PartOrigin& origin);
  void append(std::string_view bytes);
  void remove();
  // Synced, then renamed.
  void finish();

 private:
  void open_locked();

  std::filesystem::path target_;
  std::filesystem::path path_;
  std::filesystem::path from_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
  bool finished_ = false;
};

}  // namespace ridgeline
