#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/event_table.h"

namespace ridgeline {

// What a reader met besides good events. Nothing is left out without being counted here.
struct TraceNotes {
  std::uint64_t malformed = 0;        // elements that are no event, or damaged ones
  std::uint64_t without_time = 0;     // slices without a usable start or duration
  std::uint64_t unclosed_slices = 0;  // begun and never ended, or ended and never begun
  std::uint64_t too_long = 0;         // a single event longer than the reader's window
  std::uint64_t untimed = 0;          // metadata, flows, counters, instants: no slices, not faults
  std::uint64_t text_bytes = 0;       // read, unpacked
  std::optional<std::string> stopped{};  // why the reader could not go on to the end
  bool cut_off = false;                  // and events lay behind; not so after the last of them
  // What the program that recorded it says is not in it.
  std::uint64_t ops_beyond_limit = 0;
  std::uint64_t allocations_beyond_limit = 0;
  std::uint64_t device_beyond_limit = 0;

  // A part would pass for the whole: who tells of shares and sums asks here first.
  [[nodiscard]] bool has_all_ops() const { return !cut_off && ops_beyond_limit == 0; }
  [[nodiscard]] bool has_all_allocations() const {
    return !cut_off && allocations_beyond_limit == 0;
  }
  [[nodiscard]] bool has_all_device_work() const { return !cut_off && device_beyond_limit == 0; }
  [[nodiscard]] bool has_all() const {
    return has_all_ops() && has_all_allocations() && has_all_device_work();
  }
};

// A trace in memory, whatever tool wrote it.
struct Trace {
  std::string source{};
  EventTable events{};
  TraceNotes notes{};
  std::vector<std::string> devices{};  // names, where the file tells
  std::optional<std::int64_t> rank{};
  std::optional<std::int64_t> world_size{};
};

}  // namespace ridgeline
