#include "trace/trace_file.h"

#include "core/mapped_file.h"
#include "trace/chrome_trace.h"

namespace ridgeline {

Trace read_trace(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_chrome_trace(file.bytes(), path.string());
}

}  // namespace ridgeline
