#include "core/part_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/io_error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

fs::path with_ending(fs::path path, const char* ending) {
  path += ending;
  return path;
}

// A process that finished meanwhile has renamed the file that we opened: it is no part any more.
bool is_still(const FileDescriptor& file, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.number(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

PartFile::PartFile(const fs::path& target)
    : target_(target), path_(with_ending(target, ".part")), from_(with_ending(path_, ".from")) {
  std::error_code code;
  if (!target.has_filename() || fs::is_directory(target, code))
    throw io_error("write", target, EISDIR);
  code.clear();  // what is not there yet is no failure
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), code);
  if (code) throw io_error("make the folder of", target, code.value());
  open_locked();
  struct stat facts {};
  if (::fstat(file_.number(), &facts) != 0) throw io_error("read", path_, errno);
  if (!S_ISREG(facts.st_mode)) throw io_error("write", path_, EINVAL);
  size_ = static_cast<std::uint64_t>(facts.st_size);
}

PartFile::~PartFile() {
  if (size_ == 0 && !finished_) remove();
}

void PartFile::open_locked() {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // No link is followed and no pipe waited for: a part is a file that we made.
    file_ = FileDescriptor(::open(
        path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!file_.is_open()) throw io_error("write", path_, errno);
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) throw io_error("lock", path_, errno);
      throw Error(Fault::Io,
                  fmt::format("'{}' is being downloaded by another process", target_.string()));
    }
    if (is_still(file_, path_)) return;
  }
  throw io_error("lock", path_, EBUSY);
}

PartOrigin PartFile::origin() const {
  try {
    const auto notes = nlohmann::json::parse(read_file(from_, Bytes{65536}));
    return {.url = notes.at("url").get<std::string>(),
            .validator = notes.at("validator").get<std::string>()};
  } catch (const Error&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

// The old notes go first and the new ones come last: whenever this is broken off, a part without
// notes is left, never one with the wrong notes.
void PartFile::start_over(const PartOrigin& new_origin) {
  std::error_code ignored;
  fs::remove(from_, ignored);
  if (::ftruncate(file_.number(), 0) != 0) throw io_error("write", path_, errno);
  size_ = 0;
  if (new_origin == PartOrigin{}) return;
  const nlohmann::json notes{{"url", new_origin.url}, {"validator", new_origin.validator}};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  write_file_atomically(from_, notes.dump(-1, ' ', false, kReplace) + "\n");
}

void PartFile::append(std::string_view bytes) {
  if (!write_all(file_, bytes)) {
    const int reason = errno;
    struct stat facts {};
    if (::fstat(file_.number(), &facts) == 0) size_ = static_cast<std::uint64_t>(facts.st_size);
    throw io_error("write", path_, reason);
  }
  size_ += bytes.size();
}

void PartFile::remove() {
  std::error_code ignored;
  fs::remove(from_, ignored);
  fs::remove(path_, ignored);
}

void PartFile::finish() {
  if (::fsync(file_.number()) != 0) throw io_error("write", path_, errno);
  if (::rename(path_.c_str(), target_.c_str()) != 0) throw io_error("write", target_, errno);
  finished_ = true;
  std::error_code ignored;
  fs::remove(from_, ignored);
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());  // some file systems refuse: no failure
}

}  // namespace ridgeline
