#pragma once

#include <string_view>
#include <utility>

namespace ridgeline {

// Owns an open descriptor; -1 owns nothing.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  void close() noexcept;

 private:
  int number_ = -1;
};

// Writes all of it, going on after interrupted and short writes. False leaves errno set.
[[nodiscard]] bool write_all(const FileDescriptor& file, std::string_view content);

}  // namespace ridgeline
