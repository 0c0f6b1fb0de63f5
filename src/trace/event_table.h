#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/name_table.h"

namespace ridgeline {

enum class EventKind : std::uint8_t {
  CpuOp,
  UserAnnotation,
  GpuUserAnnotation,
  Kernel,
  Memcpy,
  Memset,
  Runtime,
  Driver,
  Sync,
  PythonFunction,
  Overhead,
  Foreign,  // of a category that PyTorch does not write, or of none: another tool's
  Other,
};

// What PyTorch on NVIDIA, AMD and others, old and new, writes into `cat`.
[[nodiscard]] EventKind kind_of_category(std::string_view category);

// Work that a device carries out: kernels, copies, sets.
[[nodiscard]] constexpr bool is_device_work(EventKind kind) {
  return kind == EventKind::Kernel || kind == EventKind::Memcpy || kind == EventKind::Memset;
}

// A line of the timeline: a thread of a process, or a stream of a device.
struct Track {
  bool device = false;
  std::int64_t process = 0;  // or device
  std::int64_t thread = 0;   // or stream
  auto operator<=>(const Track&) const = default;
};

struct Event {
  EventKind kind = EventKind::Other;
  std::uint32_t name = 0;
  std::uint32_t track = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::uint32_t correlation = 0;  // 0: none
  std::uint32_t external = 0;     // 0: none
};

// An allocation or its end, as PyTorch's "[memory]" instants tell.
struct MemoryChange {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;  // negative: freed
  std::int64_t device_type = 0;
  std::int64_t device = 0;
  std::optional<std::int64_t> allocated{};  // all that was allocated afterwards
  std::optional<std::int64_t> reserved{};
};

// The events of a trace, a column each: 37 bytes an event, a tenth of its text. Times lie within
// ±3e18 ns (until 2065) and durations between 0 and that, so that differences cannot overflow.
class EventTable {
 public:
  void add(const Event& event);
  // Another kind and line for an event that is there.
  void move(std::size_t i, EventKind kind, std::uint32_t track);
  // The amount that the event added last moved.
  void set_bytes(std::int64_t bytes);
  [[nodiscard]] std::uint32_t track_of(const Track& track);

  [[nodiscard]] std::size_t size() const { return kinds_.size(); }
  [[nodiscard]] EventKind kind(std::size_t i) const { return kinds_[i]; }
  [[nodiscard]] std::uint32_t name(std::size_t i) const { return names_of_[i]; }
  [[nodiscard]] const std::string& name_text(std::size_t i) const { return names[names_of_[i]]; }
  [[nodiscard]] const Track& track(std::size_t i) const { return tracks_[tracks_of_[i]]; }
  [[nodiscard]] std::uint32_t track_number(std::size_t i) const { return tracks_of_[i]; }
  [[nodiscard]] const std::vector<Track>& tracks() const { return tracks_; }
  [[nodiscard]] std::int64_t start_ns(std::size_t i) const { return starts_[i]; }
  [[nodiscard]] std::int64_t duration_ns(std::size_t i) const { return durations_[i]; }
  [[nodiscard]] std::int64_t end_ns(std::size_t i) const { return starts_[i] + durations_[i]; }
  [[nodiscard]] std::uint32_t correlation(std::size_t i) const { return correlations_[i]; }
  [[nodiscard]] std::uint32_t external(std::size_t i) const { return externals_[i]; }
  [[nodiscard]] std::optional<std::int64_t> bytes(std::size_t i) const;

  TraceNames names;
  std::vector<MemoryChange> memory;

 private:
  std::vector<EventKind> kinds_;
  std::vector<std::uint32_t> names_of_;
  std::vector<std::uint32_t> tracks_of_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> durations_;
  std::vector<std::uint32_t> correlations_;
  std::vector<std::uint32_t> externals_;
  std::vector<std::pair<std::uint32_t, std::int64_t>> bytes_;  // of copies alone; by event
  std::vector<Track> tracks_;
  std::map<Track, std::uint32_t> track_numbers_;
  std::uint32_t last_track_ = 0;
};

// A sum that stops at the largest number instead of wrapping: traces can claim any times.
[[nodiscard]] inline std::int64_t add_times(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace ridgeline
