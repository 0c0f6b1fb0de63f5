#include "trace/chrome_header.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "trace/json_members.h"

namespace ridgeline {
namespace {

constexpr std::string_view kDistributed = "distributedInfo";
constexpr std::string_view kDevices = "deviceProperties";
constexpr std::string_view kOurs = "ridgeline";

bool read_distributed(JsonCursor& cursor, Trace& trace) {
  return read_members(cursor, [&](std::string_view key) {
    if (key == "rank") return cursor.number(0, trace.rank);
    if (key == "world_size") return cursor.number(0, trace.world_size);
    return cursor.skip_value();
  });
}

bool read_device(JsonCursor& cursor, std::vector<std::string>& names) {
  if (cursor.next() != '{') return cursor.skip_value();
  return read_members(cursor, [&](std::string_view key) {
    if (key != "name" || cursor.next() != '"') return cursor.skip_value();
    RawString text;
    if (!cursor.string(text)) return false;
    names.push_back(with_valid_utf8(unescaped(text.text)));
    return true;
  });
}

bool read_devices(JsonCursor& cursor, Trace& trace) {
  std::vector<std::string> names;
  if (!cursor.take('[')) return false;
  while (cursor.next() != ']') {
    if (!read_device(cursor, names)) return false;
    if (cursor.next() != ']' && !cursor.take(',')) return false;
  }
  trace.devices = std::move(names);
  return cursor.take(']');
}

// What a recording of ours had no room for. Set and not added to: a reader that runs out of text
// begins anew.
bool read_ours(JsonCursor& cursor, TraceNotes& notes) {
  const auto count = [&](std::uint64_t& into) {
    std::optional<std::int64_t> found;
    if (!cursor.number(0, found)) return false;
    into = static_cast<std::uint64_t>(std::max<std::int64_t>(0, found.value_or(0)));
    return true;
  };
  return read_members(cursor, [&](std::string_view key) {
    if (key == "ops_beyond_limit") return count(notes.ops_beyond_limit);
    if (key == "allocations_beyond_limit") return count(notes.allocations_beyond_limit);
    if (key == "device_beyond_limit") return count(notes.device_beyond_limit);
    return cursor.skip_value();
  });
}

}  // namespace

bool is_header_key(std::string_view key) {
  return key == kDistributed || key == kDevices || key == kOurs;
}

bool read_header(JsonCursor& cursor, std::string_view key, Trace& trace) {
  if (key == kDistributed && cursor.next() == '{') return read_distributed(cursor, trace);
  if (key == kDevices && cursor.next() == '[') return read_devices(cursor, trace);
  if (key == kOurs && cursor.next() == '{') return read_ours(cursor, trace.notes);
  return cursor.skip_value();
}

bool read_line_name(JsonCursor& cursor, RawString& name) {
  return read_members(cursor, [&](std::string_view key) {
    if (key != "args" || cursor.next() != '{') return cursor.skip_value();
    return read_members(cursor, [&](std::string_view inner) {
      return inner == "name" && cursor.next() == '"' ? cursor.string(name) : cursor.skip_value();
    });
  });
}

}  // namespace ridgeline
