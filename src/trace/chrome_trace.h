#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "trace/trace.h"

namespace ridgeline {

struct ChromeTraceOptions {
  std::uint64_t least_text_limit = std::uint64_t{1} << 30U;  // allowed however small the file is
};

// Reads a trace in Chrome's JSON format, plain or gzip, front to back and without holding its text:
// an object with traceEvents, or the bare array. Damaged events are skipped and counted; a cut or
// damage that nothing can be skipped over ends the reading, with the reason in the notes. Throws
// Error(BadInput) when it is no such file at all, or unpacks to absurd size. `source` names it.
[[nodiscard]] Trace parse_chrome_trace(std::span<const std::byte> bytes, const std::string& source,
                                       const ChromeTraceOptions& options = {});

}  // namespace ridgeline
