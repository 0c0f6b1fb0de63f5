#include "core/atomic_writer.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
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

// The process that a temporary file of `target` belongs to; absent for every other name.
std::optional<pid_t> owner_of(std::string_view name, const std::string& target) {
  const std::string start = fmt::format(".{}.", target);
  constexpr std::string_view kEnd = ".tmp";
  if (!name.starts_with(start) || !name.ends_with(kEnd)) return std::nullopt;
  if (name.size() <= start.size() + kEnd.size()) return std::nullopt;
  name = name.substr(start.size(), name.size() - start.size() - kEnd.size());
  const char* const end = name.data() + name.size();
  pid_t process = 0;
  int attempt = 0;
  const auto [dash, code] = std::from_chars(name.data(), end, process);
  if (code != std::errc{} || process <= 0 || dash == end || *dash != '-') return std::nullopt;
  const auto [stop, attempt_code] = std::from_chars(dash + 1, end, attempt);
  if (attempt_code != std::errc{} || stop != end || attempt < 0) return std::nullopt;
  return process;
}

// What writers left that were killed. A process of another container may look dead from here, but
// holds its lock.
void remove_orphans(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const std::string name = target.filename().string();
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const auto owner = owner_of(entry->path().filename().string(), name);
    if (!owner || ::kill(*owner, 0) == 0 || errno != ESRCH) continue;
    const FileDescriptor file(
        ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0)
      ::unlink(entry->path().c_str());
  }
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
  remove_orphans(target_);
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Beside the target, because a rename cannot cross file systems.
    fs::path beside = target_;
    beside.replace_filename(
        fmt::format(".{}.{}-{}.tmp", target_.filename().string(), ::getpid(), attempt));
    file_ = FileDescriptor(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_.is_open()) {
      (void)::flock(file_.number(), LOCK_EX | LOCK_NB);  // a sign of life where it works
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
