#pragma once

#include <cstdint>
#include <optional>

#include "trace/json_cursor.h"

namespace ridgeline {

// A process or thread: mostly a number, sometimes a name ("Spans").
struct ChromeId {
  std::optional<std::int64_t> number{};
  RawString text{};
};

// What one element of traceEvents says, of all it may say what the analysis asks for. Texts point
// into the cursor's text.
struct ChromeEvent {
  char phase = 0;  // 'X', 'B', 'E', 'i', 'M', 's', ...
  RawString name{};
  RawString category{};
  ChromeId process{};
  ChromeId thread{};
  std::optional<std::int64_t> start_ns{};
  std::optional<std::int64_t> duration_ns{};
  // From args.
  std::optional<std::int64_t> correlation{};
  std::optional<std::int64_t> external{};
  std::optional<std::int64_t> device{};
  std::optional<std::int64_t> stream{};
  std::optional<std::int64_t> bytes{};
  std::optional<std::int64_t> device_type{};
  std::optional<std::int64_t> device_id{};
  std::optional<std::int64_t> allocated{};
  std::optional<std::int64_t> reserved{};
};

// Reads the object that the cursor stands before. False as JsonCursor says.
[[nodiscard]] bool read_chrome_event(JsonCursor& cursor, ChromeEvent& event);

}  // namespace ridgeline
