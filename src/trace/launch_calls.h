#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/event_table.h"

namespace ridgeline {

// The host call that asked for a piece of device work, by correlation id. Every process counts its
// calls from one, so in a trace of several an id alone does not tell: each device's work is taken
// for that of the process whose calls explain most of it.
class LaunchCalls {
 public:
  explicit LaunchCalls(const EventTable& events);

  // Absent when the trace holds no such call.
  [[nodiscard]] std::optional<std::uint32_t> of(std::uint32_t work) const;

 private:
  using Places = std::vector<std::uint32_t>;
  struct Candidates {
    std::map<std::int64_t, std::uint64_t> explained{};  // pieces of its work, by process
    std::int64_t first_start = INT64_MAX;               // of work whose id several processes bear
    [[nodiscard]] std::vector<std::int64_t> best() const;
  };

  void gather_shared(const std::unordered_set<std::uint32_t>& ids);
  [[nodiscard]] std::map<std::int64_t, Candidates> candidates() const;  // by device
  void choose_processes();
  [[nodiscard]] std::pair<Places::const_iterator, Places::const_iterator> rivals_of(
      std::uint32_t work) const;
  [[nodiscard]] std::int64_t process_of(std::uint32_t call) const {
    return events_.track(call).process;
  }

  const EventTable& events_;
  std::unordered_map<std::uint32_t, std::uint32_t> calls_;  // by id
  Places shared_;  // calls whose id several processes bear: by id, then by start
  std::map<std::int64_t, std::int64_t> process_of_device_;
};

}  // namespace ridgeline
