#pragma once

#include <string_view>

#include "trace/json_cursor.h"
#include "trace/trace.h"

namespace ridgeline {

// The members beside traceEvents that tell something about the run.
[[nodiscard]] bool is_header_key(std::string_view key);

// Reads the value of such a member into the trace. False as JsonCursor says.
[[nodiscard]] bool read_header(JsonCursor& cursor, std::string_view key, Trace& trace);

// The `name` in the args of the metadata event that the cursor stands before: apart from the
// reading of events, which runs a million times for each of these.
[[nodiscard]] bool read_line_name(JsonCursor& cursor, RawString& name);

}  // namespace ridgeline
