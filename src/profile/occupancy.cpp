#include "profile/occupancy.h"

#include <algorithm>
#include <array>

namespace ridgeline {
namespace {

// Of one multiprocessor; NVIDIA's programming guide, technical specifications by compute
// capability.
struct Limits {
  int major;
  int minor;
  std::uint64_t threads;
  std::uint64_t blocks;
  std::uint64_t shared_memory;
};
constexpr std::array kLimits{
    Limits{7, 0, 2048, 32, 96U << 10},   Limits{7, 5, 1024, 16, 64U << 10},
    Limits{8, 0, 2048, 32, 164U << 10},  Limits{8, 6, 1536, 16, 100U << 10},
    Limits{8, 7, 1536, 16, 164U << 10},  Limits{8, 9, 1536, 24, 100U << 10},
    Limits{9, 0, 2048, 32, 228U << 10},  Limits{10, 0, 2048, 32, 228U << 10},
    Limits{10, 3, 2048, 32, 228U << 10}, Limits{12, 0, 1536, 24, 100U << 10},
};
constexpr std::uint64_t kWarp = 32;
// Registers are given to a warp by 256 and lie in four parts of 16,384.
constexpr std::uint64_t kRegistersOfAPart = 16'384;
constexpr std::uint64_t kParts = 4;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kSharedUnit = 128;
constexpr std::uint64_t kSharedReserved = 1024;  // a block, since 8.0

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t product(const std::uint32_t (&sizes)[3]) {
  return std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
}

}  // namespace

std::optional<double> estimated_occupancy(const DeviceRecord& kernel, const GpuShape& gpu) {
  const auto* const limits = std::ranges::find_if(kLimits, [&](const Limits& entry) {
    return entry.major == gpu.compute_major && entry.minor == gpu.compute_minor;
  });
  const std::uint64_t threads = product(kernel.block);
  const std::uint64_t grid = product(kernel.grid);
  if (limits == kLimits.end() || kernel.kind != DeviceRecordKind::Kernel || threads == 0 ||
      grid == 0 || gpu.multiprocessors <= 0)
    return std::nullopt;
  const std::uint64_t warps = (threads + kWarp - 1) / kWarp;
  const std::uint64_t most_warps = limits->threads / kWarp;
  std::uint64_t blocks = std::min(limits->blocks, most_warps / warps);
  if (kernel.registers > 0) {
    const std::uint64_t of_a_warp =
        rounded_up(std::uint64_t{kernel.registers} * kWarp, kRegisterUnit);
    blocks = std::min(blocks, kRegistersOfAPart / of_a_warp * kParts / warps);
  }
  const std::uint64_t reserved = gpu.compute_major >= 8 ? kSharedReserved : 0;
  if (const std::uint64_t shared = rounded_up(kernel.shared_memory + reserved, kSharedUnit))
    blocks = std::min(blocks, limits->shared_memory / shared);
  const double of_the_grid = static_cast<double>(grid) / gpu.multiprocessors;
  return std::min(static_cast<double>(blocks), of_the_grid) * static_cast<double>(warps) /
         static_cast<double>(most_warps);
}

}  // namespace ridgeline
