#include "core/atomic_writer.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/io_error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

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

// A link stays a link: what it points at is replaced.
fs::path end_of_links(const fs::path& path) {
  std::error_code code;
  fs::path target = fs::is_symlink(path, code) ? fs::canonical(path, code) : path;
  if (code) throw io_error("write", path, code.value());
  return target;
}

}  // namespace

AtomicWriter::AtomicWriter(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) throw io_error("write", path_, EISDIR);
  make_parents(path_);
  struct stat facts {};
  const bool exists = ::stat(path_.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) throw io_error("write", path_, EISDIR);
  if (exists && !S_ISREG(facts.st_mode)) {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file_.is_open()) throw io_error("write", path_, errno);
    return;
  }
  target_ = exists ? end_of_links(path_) : path_;
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Beside the target, because a rename cannot cross file systems.
    fs::path beside = target_;
    beside.replace_filename(
        fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), attempt));
    file_ = FileDescriptor(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.is_open()) {
      temporary_ = std::move(beside);
      return;
    }
    if (errno != EEXIST) break;
  }
  throw io_error("write", path_, errno);
}

AtomicWriter::~AtomicWriter() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicWriter::write(std::string_view content) {
  if (!write_all(file_, content)) throw io_error("write", path_, errno);
  written_ += content.size();
}

void AtomicWriter::write(std::span<const std::byte> content) {
  write(std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
}

void AtomicWriter::commit() {
  if (temporary_.empty()) return file_.close();
  if (::fsync(file_.number()) != 0 || ::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw io_error("write", path_, errno);
  }
  temporary_.clear();
  file_.close();
  sync_folder(target_.parent_path());
}

}  // namespace ridgeline
