#pragma once

#include <cstdint>
#include <vector>

#include "trace/chrome_event.h"
#include "trace/foreign_slices.h"
#include "trace/trace.h"

namespace ridgeline {

// Puts Chrome events into a trace: slices as they are, begin and end joined, memory instants aside,
// names of lines kept until the end, all else counted.
class ChromeCollector {
 public:
  explicit ChromeCollector(Trace& trace) : trace_(trace) {}

  void add(const ChromeEvent& event);
  // What a metadata event, added as well, calls its line or process.
  void add_name(const ChromeEvent& event, const RawString& name);
  // Joins begins and ends, finds GPUs among the lines of foreign tools; no event may follow.
  void finish();

 private:
  struct Edge {  // half a slice
    std::uint32_t track{};
    std::int64_t time_ns{};
    bool begins{};
    EventKind kind{};
    std::uint32_t name{};
  };

  void add_slice(const ChromeEvent& event);
  void add_edge(const ChromeEvent& event);
  void add_memory(const ChromeEvent& event);
  void join_edges();
  [[nodiscard]] std::uint32_t track_of(const ChromeEvent& event, EventKind kind);
  [[nodiscard]] std::int64_t number_of(const ChromeId& id) {
    return id.number ? *id.number : number_of_name(id.text);
  }
  [[nodiscard]] std::int64_t number_of_name(const RawString& name);
  [[nodiscard]] std::uint32_t name_of(const RawString& name);

  Trace& trace_;
  std::vector<Edge> edges_;
  LineNames line_names_;
};

}  // namespace ridgeline
