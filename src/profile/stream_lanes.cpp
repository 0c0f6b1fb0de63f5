#include "profile/stream_lanes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace ridgeline {
namespace {

// Above any number that streams have.
constexpr std::uint64_t kLane = 1'000'000;

}  // namespace

std::vector<std::uint32_t> stream_lanes(const std::vector<DeviceRecord>& device) {
  std::vector<std::size_t> order(device.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return device[i].start; });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Nanoseconds>> ends;  // of lanes
  std::vector<std::uint32_t> lanes(device.size());
  for (const std::size_t i : order) {
    std::vector<Nanoseconds>& busy = ends[{device[i].device, device[i].stream}];
    const auto free =
        std::ranges::find_if(busy, [&](Nanoseconds end) { return end <= device[i].start; });
    lanes[i] = static_cast<std::uint32_t>(free - busy.begin());
    if (free == busy.end()) {
      busy.push_back(device[i].end);
    } else {
      *free = device[i].end;
    }
  }
  return lanes;
}

std::uint64_t track_of_lane(std::uint32_t stream, std::uint32_t lane) {
  return stream + kLane * lane;
}

std::string name_of_lane(std::uint32_t stream, std::uint32_t lane) {
  return lane == 0 ? fmt::format("stream {}", stream)
                   : fmt::format("stream {}, overlapping", stream);
}

}  // namespace ridgeline
