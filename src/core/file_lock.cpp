#include "core/file_lock.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io_error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> made;
  std::error_code code;
  for (fs::path path = folder; !path.empty() && !fs::exists(path, code); path = path.parent_path())
    made.push_back(path);
  if (!folder.empty()) fs::create_directories(folder, code);
  if (code) throw io_error("make the folder", folder, code.value());
  return made;
}

// Whoever held it before may have removed the file that we opened.
bool is_still(const FileDescriptor& file, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.number(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

std::optional<FileLock> FileLock::take(const fs::path& path) {
  std::vector<fs::path> made = make_folders(path.parent_path());
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file.is_open()) throw io_error("write", path, errno);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return std::nullopt;
    if (is_still(file, path)) return FileLock(path, std::move(made), std::move(file));
  }
  return std::nullopt;
}

FileLock::~FileLock() {
  if (!file_.is_open()) return;
  ::unlink(path_.c_str());
  for (const fs::path& folder : made_) ::rmdir(folder.c_str());
}

}  // namespace ridgeline
