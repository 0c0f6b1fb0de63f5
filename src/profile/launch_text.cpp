#include "profile/launch_text.h"

#include <cmath>

#include <fmt/format.h>

#include "profile/occupancy.h"

namespace ridgeline {
namespace {

constexpr double kWarp = 32;

double product(const std::uint32_t (&sizes)[3]) {
  return static_cast<double>(sizes[0]) * sizes[1] * sizes[2];
}

}  // namespace

std::string launch_arguments(const DeviceRecord& kernel, const TraceDevice& device) {
  const double threads = product(kernel.block);
  if (device.multiprocessors <= 0 || threads <= 0) return "";
  const double blocks = product(kernel.grid) / device.multiprocessors;
  std::string text = fmt::format(R"(, "blocks per SM": {:.6f}, "warps per SM": {:.6f})", blocks,
                                 blocks * std::ceil(threads / kWarp));
  const auto occupancy = estimated_occupancy(kernel, {.compute_major = device.compute_major,
                                                      .compute_minor = device.compute_minor,
                                                      .multiprocessors = device.multiprocessors});
  if (occupancy)
    text += fmt::format(R"(, "est. achieved occupancy %": {})", std::lround(100 * *occupancy));
  return text;
}

}  // namespace ridgeline
