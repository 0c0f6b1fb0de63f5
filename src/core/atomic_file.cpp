#include "core/atomic_file.h"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/format.h"
#include "core/io_error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

struct TemporaryFile {
  fs::path path;
  FileDescriptor file;
};

// Beside the target, because a rename cannot cross file systems.
TemporaryFile open_beside(const fs::path& target) {
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    fs::path path = target;
    path.replace_filename(
        fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), attempt));
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.is_open()) return {std::move(path), std::move(file)};
    if (errno != EEXIST) throw io_error("write", target, errno);
  }
  throw io_error("write", target, EEXIST);
}

void make_parents(const fs::path& path) {
  if (path.parent_path().empty()) return;
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  if (code) throw io_error("make the folder of", path, code.value());
}

// Without this a power cut can forget the rename. Some file systems refuse to sync a folder; the
// content is safe then all the same, so their refusal is no failure.
void sync_folder(const fs::path& folder) {
  const FileDescriptor file(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) ::fsync(file.number());
}

void write_straight(const fs::path& path, std::string_view content) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open() || !write_all(file, content)) throw io_error("write", path, errno);
}

void replace_by_rename(const fs::path& target, std::string_view content) {
  TemporaryFile temporary = open_beside(target);
  const bool done = write_all(temporary.file, content) && ::fsync(temporary.file.number()) == 0 &&
                    ::rename(temporary.path.c_str(), target.c_str()) == 0;
  if (!done) {
    const int reason = errno;
    ::unlink(temporary.path.c_str());
    throw io_error("write", target, reason);
  }
  sync_folder(target.parent_path());
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  if (!path.has_filename()) throw io_error("write", path, EISDIR);
  make_parents(path);
  struct stat facts {};
  const bool exists = ::stat(path.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) throw io_error("write", path, EISDIR);
  if (exists && !S_ISREG(facts.st_mode)) return write_straight(path, content);
  // A link stays a link: what it points at is replaced.
  std::error_code code;
  const fs::path target = exists && fs::is_symlink(path, code) ? fs::canonical(path, code) : path;
  if (code) throw io_error("write", path, code.value());
  replace_by_rename(target, content);
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
