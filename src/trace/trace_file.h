#pragma once

#include <filesystem>

#include "trace/trace.h"

namespace ridgeline {

// Reads a trace of any format known, told apart by content: Chrome JSON, plain or gzip, or an
// export of Nsight Systems (SQLite). "-" is standard input; that and named pipes give JSON alone.
// Throws Error(Io) when it cannot be read, Error(BadInput) when it is no trace.
[[nodiscard]] Trace read_trace(const std::filesystem::path& path);

}  // namespace ridgeline
