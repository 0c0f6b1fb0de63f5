#pragma once

#include <string_view>

#include "trace/json_cursor.h"
#include "trace/trace.h"

namespace ridgeline {

// The members beside traceEvents that tell something about the run.
[[nodiscard]] bool is_header_key(std::string_view key);

// Reads the value of such a member into the trace. False as JsonCursor says.
[[nodiscard]] bool read_header(JsonCursor& cursor, std::string_view key, Trace& trace);

}  // namespace ridgeline
