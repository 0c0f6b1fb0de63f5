#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/file_descriptor.h"

namespace ridgeline {

// A file written piece by piece under another name beside its target, which it replaces at once in
// commit(): the target has its old content or all of the new one, whatever happens meanwhile.
// Without commit() nothing stays behind; what a killed writer left goes when the next one opens.
// Parent folders are made. A device or pipe (/dev/stdout) is written straight: a rename would
// replace it. Every member throws Error(Io) with path and reason.
class AtomicWriter {
 public:
  explicit AtomicWriter(std::filesystem::path path);
  ~AtomicWriter();
  AtomicWriter(const AtomicWriter&) = delete;
  AtomicWriter& operator=(const AtomicWriter&) = delete;

  void write(std::string_view content);
  void write(std::span<const std::byte> content);
  [[nodiscard]] std::uint64_t written() const { return written_; }
  // Synced to the disk, then renamed.
  void commit();

 private:
  std::filesystem::path path_;       // as the caller named it, for messages
  std::filesystem::path target_;     // what is replaced: the end of a chain of links
  std::filesystem::path temporary_;  // empty when written straight or committed
  FileDescriptor file_;
  std::uint64_t written_ = 0;
};

}  // namespace ridgeline
