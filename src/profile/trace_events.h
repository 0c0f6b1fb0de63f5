#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/text_file.h"
#include "profile/trace_writer.h"

namespace ridgeline {

// The events of a trace on their way into its file: what all kinds of them are written with.
class TraceEvents {
 public:
  TraceEvents(TextFile& file, const Recording& recording, const TraceFacts& facts);

  // One event, a JSON object.
  void write(const std::string& text);
  void name_track(const char* what, const std::string& pid, const std::string& tid,
                  const std::string& arguments);
  // A beginning (s) or an end (f) of an arrow; both have `id` in common.
  void flow(char phase, const char* name, std::uint64_t id, const std::string& track,
            const std::string& time);

  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] const TraceFacts& facts() const { return facts_; }
  // As JSON text, without quotes.
  [[nodiscard]] const std::string& name(NameId id) const { return names_.at(id); }
  // Null for no frame of the recording.
  [[nodiscard]] const OpRecord* frame(std::uint32_t id) const;
  // "pid" and "tid" of the thread it ran on.
  [[nodiscard]] std::string track_of(const OpRecord& op) const;
  [[nodiscard]] std::uint64_t thread_id(std::uint16_t place) const {
    return recording_.threads.at(place).system_id;
  }
  [[nodiscard]] std::string since_start(Nanoseconds time) const;

 private:
  TextFile& file_;
  const Recording& recording_;
  const TraceFacts& facts_;
  std::vector<std::string> names_;
  std::unordered_map<std::uint32_t, const OpRecord*> by_id_;
  bool first_ = true;
};

// Microseconds with three decimals, exact: what is a nanosecond stays one.
[[nodiscard]] std::string micros(Nanoseconds time);

}  // namespace ridgeline
