#include "trace/trace_file.h"

#include <cstring>
#include <string_view>

#include "core/mapped_file.h"
#include "trace/chrome_trace.h"
#include "trace/nsys_trace.h"

namespace ridgeline {
namespace {

bool is_sqlite(std::span<const std::byte> bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

}  // namespace

Trace read_trace(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (!is_sqlite(file.bytes())) return parse_chrome_trace(file.bytes(), path.string());
  Trace trace = read_nsys_trace(path);
  trace.notes.text_bytes = file.bytes().size();
  return trace;
}

}  // namespace ridgeline
