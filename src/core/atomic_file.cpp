#include "core/atomic_file.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_writer.h"
#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/format.h"
#include "core/io_error.h"

namespace ridgeline {

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  AtomicWriter writer(path);
  writer.write(content);
  writer.commit();
}

std::string read_file(const std::filesystem::path& path, Bytes limit) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw io_error("read", path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) throw io_error("read", path, errno);
  if (S_ISDIR(facts.st_mode)) throw io_error("read", path, EISDIR);
  const auto too_big = [&] {
    return Error(Fault::Io, fmt::format("cannot read '{}': larger than the limit of {}",
                                        path.string(), format_bytes(limit)));
  };
  if (static_cast<double>(facts.st_size) > limit.count) throw too_big();
  std::string content;
  content.reserve(static_cast<std::size_t>(facts.st_size));
  std::array<char, 65536> block;
  // The size is only a hint: files of /proc have none, and others may be growing.
  for (;;) {
    const ssize_t got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error("read", path, errno);
    if (got == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (static_cast<double>(content.size()) > limit.count) throw too_big();
  }
}

}  // namespace ridgeline
