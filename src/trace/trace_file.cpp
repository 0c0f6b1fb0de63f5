#include "trace/trace_file.h"

#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "core/file_descriptor.h"
#include "core/io_error.h"
#include "core/malformed.h"
#include "core/mapped_file.h"
#include "core/spooled_file.h"
#include "trace/chrome_trace.h"
#include "trace/nsys_trace.h"

namespace ridgeline {
namespace {

bool is_sqlite(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

// Standard input, a named pipe, what a shell puts in place of <(…).
Trace read_stream(const FileDescriptor& stream, const std::string& name) {
  const SpooledFile spooled(stream, name);
  const MappedFile file(spooled.path());
  if (is_sqlite(file.bytes()))
    throw malformed(name, "an export of Nsight Systems must be a file: SQLite reads no pipe");
  return parse_chrome_trace(file.bytes(), name);
}

bool is_stream(const std::filesystem::path& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  return kind == std::filesystem::file_type::fifo || kind == std::filesystem::file_type::socket;
}

FileDescriptor open_stream(const std::filesystem::path& path) {
  FileDescriptor stream(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!stream.is_open()) throw io_error("read", path, errno);
  return stream;
}

}  // namespace

Trace read_trace(const std::filesystem::path& path) {
  if (path == "-") return read_stream(open_stream(path), "standard input");
  if (is_stream(path)) return read_stream(open_stream(path), path.string());
  const MappedFile file(path);
  if (!is_sqlite(file.bytes())) return parse_chrome_trace(file.bytes(), path.string());
  Trace trace = read_nsys_trace(path);
  trace.notes.text_bytes = file.bytes().size();
  return trace;
}

}  // namespace ridgeline
