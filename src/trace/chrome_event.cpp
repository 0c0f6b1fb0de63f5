#include "trace/chrome_event.h"

#include <string_view>

#include "trace/json_members.h"

namespace ridgeline {
namespace {

constexpr int kNsPerUs = 3;  // decimals

bool read_id(JsonCursor& cursor, ChromeId& id) {
  if (cursor.next() != '"') return cursor.number(0, id.number);
  if (!cursor.string(id.text)) return false;
  id.number = scaled_number(id.text.text, 0);
  return true;
}

// A text, or nothing where something else stands.
bool read_text(JsonCursor& cursor, RawString& text) {
  return cursor.next() == '"' ? cursor.string(text) : cursor.skip_value();
}

bool read_phase(JsonCursor& cursor, ChromeEvent& event) {
  RawString text;
  if (!read_text(cursor, text)) return false;
  event.phase = text.text.size() == 1 ? text.text.front() : '\0';
  return true;
}

std::optional<std::int64_t>* argument(std::string_view key, ChromeEvent& event) {
  switch (key.size()) {
    case 5:
      return key == "bytes" || key == "Bytes" ? &event.bytes : nullptr;
    case 6:
      if (key == "device") return &event.device;
      return key == "stream" ? &event.stream : nullptr;
    case 9:
      return key == "Device Id" ? &event.device_id : nullptr;
    case 11:
      if (key == "External id" || key == "external id") return &event.external;
      if (key == "correlation") return &event.correlation;
      return key == "Device Type" ? &event.device_type : nullptr;
    case 14:
      return key == "Total Reserved" ? &event.reserved : nullptr;
    case 15:
      return key == "Total Allocated" ? &event.allocated : nullptr;
    default:
      return nullptr;
  }
}

bool read_arguments(JsonCursor& cursor, ChromeEvent& event) {
  if (cursor.next() != '{') return cursor.skip_value();
  return read_members(cursor, [&](std::string_view key) {
    std::optional<std::int64_t>* const slot = argument(key, event);
    return slot != nullptr ? cursor.number(0, *slot) : cursor.skip_value();
  });
}

}  // namespace

bool read_chrome_event(JsonCursor& cursor, ChromeEvent& event) {
  return read_members(cursor, [&](std::string_view key) {
    switch (key.size()) {
      case 2:
        if (key == "ph") return read_phase(cursor, event);
        if (key == "ts") return cursor.number(kNsPerUs, event.start_ns);
        break;
      case 3:
        if (key == "cat") return read_text(cursor, event.category);
        if (key == "pid") return read_id(cursor, event.process);
        if (key == "tid") return read_id(cursor, event.thread);
        if (key == "dur") return cursor.number(kNsPerUs, event.duration_ns);
        break;
      case 4:
        if (key == "name") return read_text(cursor, event.name);
        if (key == "args") return read_arguments(cursor, event);
        break;
      default:
        break;
    }
    return cursor.skip_value();
  });
}

}  // namespace ridgeline
