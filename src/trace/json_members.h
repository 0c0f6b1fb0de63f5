#pragma once

#include <string_view>

#include "trace/json_cursor.h"

namespace ridgeline {

// Calls `member` with each key of the object that the cursor stands before; it reads the value.
// False when it does, or as JsonCursor says.
template <class Member>
[[nodiscard]] bool read_members(JsonCursor& cursor, Member&& member) {
  if (!cursor.take('{')) return false;
  if (cursor.next() == '}') return cursor.take('}');
  while (true) {
    RawString key;
    if (!cursor.string(key) || !cursor.take(':') || !member(key.text)) return false;
    if (cursor.next() == '}') return cursor.take('}');
    if (!cursor.take(',')) return false;
  }
}

}  // namespace ridgeline
