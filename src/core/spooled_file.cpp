#include "core/spooled_file.h"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/io_error.h"

namespace ridgeline {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

// mkstemp and unlink, for not every file system knows O_TMPFILE.
FileDescriptor nameless_file() {
  std::error_code wrong;
  std::filesystem::path folder = std::filesystem::temp_directory_path(wrong);
  if (wrong) folder = "/tmp";
  std::string name = (folder / "ridgeline-XXXXXX").string();
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open()) throw io_error("make a temporary file in", folder, errno);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

SpooledFile::SpooledFile(const FileDescriptor& from, const std::string& name)
    : file_(nameless_file()) {
  std::vector<char> piece(kPiece);
  while (true) {
    const ssize_t got = ::read(from.number(), piece.data(), piece.size());
    if (got == 0) return;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error("read", name, errno);
    if (!write_all(file_, {piece.data(), static_cast<std::size_t>(got)}))
      throw io_error("keep a copy of", name, errno);
  }
}

std::filesystem::path SpooledFile::path() const {
  return "/proc/self/fd/" + std::to_string(file_.number());
}

}  // namespace ridgeline
