#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/file_descriptor.h"
#include "trace/event_message.h"

namespace ridgeline {

struct EventFileOptions {
  std::filesystem::path folder{};
  std::function<double()> wall_clock{};  // seconds since 1970; for tests, by default the system's
};

// A TensorBoard log that grows in place, as TensorBoard expects of a live run: the one kind of file
// of ours that is there before it is complete. Records are kept in memory until flush() (or until
// they are many) and written whole, so a kill loses what was not flushed and damages nothing.
// Every call throws Error(Io) with path and reason when the disk does not take it; what was not
// written is kept for the next flush().
class EventFile {
 public:
  // Makes the folder and `events.out.tfevents.<seconds>.<host>.<pid>.<n>` in it, never an old file.
  explicit EventFile(const EventFileOptions& options);
  ~EventFile();  // flushes; a failure is lost here, so flush() last
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  // Stored as a 32-bit float: the format has no wider scalar.
  void scalar(std::string_view tag, std::int64_t step, double value);
  void text(std::string_view tag, std::int64_t step, std::string_view markdown);
  // Once, at the start of a run: its settings, and the scalars that judge it.
  void start_session(const HParams& values, const std::vector<std::string>& metric_tags);
  // A run without it shows as running.
  void end_session(SessionEnd how);
  void flush();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void append(const WireMessage& event);

  std::function<double()> wall_clock_;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t written_ = 0;
  std::string pending_;
};

}  // namespace ridgeline
