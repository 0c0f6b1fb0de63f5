#include "core/file_descriptor.h"

#include <cerrno>

#include <unistd.h>

namespace ridgeline {

void FileDescriptor::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

bool write_all(const FileDescriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.number(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace ridgeline
