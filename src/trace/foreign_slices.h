#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "trace/event_table.h"

namespace ridgeline {

// What metadata events call the lines of a timeline.
struct LineNames {
  std::map<std::int64_t, std::string> processes{};
  std::map<Track, std::string> threads{};
};

// Tools besides PyTorch put no category on their slices that we know: lines they name as a GPU's
// ("GPU 0", "/device:GPU:0", "stream 7") hold its work, all others are the host's. Where lines are
// named as streams only those count, for the rest then are summaries of them. Nothing happens to a
// trace that holds work of devices already.
void find_device_work(EventTable& events, const LineNames& names);

}  // namespace ridgeline
