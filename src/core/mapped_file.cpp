#include "core/mapped_file.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/io_error.h"

namespace ridgeline {

MappedFile::MappedFile(std::filesystem::path path) : path_(std::move(path)) {
  // Non-blocking, or a named pipe would keep us waiting for a writer.
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw io_error("read", path_, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) throw io_error("read", path_, errno);
  if (S_ISDIR(facts.st_mode)) throw io_error("read", path_, EISDIR);
  if (!S_ISREG(facts.st_mode)) {
    throw Error(Fault::Io, fmt::format("cannot read '{}': not a regular file", path_.string()));
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size == 0) return;  // an empty mapping is an error to mmap
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) throw io_error("map", path_, errno);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace ridgeline
