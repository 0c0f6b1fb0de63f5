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

// What a kernel asks of one multiprocessor.
struct Residence {
  double blocks_asked{};   // of the grid, for each multiprocessor
  std::uint64_t blocks{};  // that can live there at once
  std::uint64_t warps{};   // of a block
  std::uint64_t most_warps{};
};

std::optional<Residence> residence_of(const DeviceRecord& kernel, const GpuShape& gpu) {
  const auto* const limits = std::ranges::find_if(kLimits, [&](const Limits& entry) {
    return entry.major == gpu.compute_major && entry.minor == gpu.compute_minor;
  });
  const std::uint64_t threads = product(kernel.block);
  const std::uint64_t grid = product(kernel.grid);
  if (limits == kLimits.end() || kernel.kind != DeviceRecordKind::Kernel || threads == 0 ||
      grid == 0 || gpu.multiprocessors <= 0)
    return std::nullopt;
  Residence residence{.blocks_asked = static_cast<double>(grid) / gpu.multiprocessors,
                      .warps = (threads + kWarp - 1) / kWarp,
                      .most_warps = limits->threads / kWarp};
  residence.blocks = std::min(limits->blocks, residence.most_warps / residence.warps);
  if (kernel.registers > 0) {
    const std::uint64_t of_a_warp =
        rounded_up(std::uint64_t{kernel.registers} * kWarp, kRegisterUnit);
    residence.blocks =
        std::min(residence.blocks, kRegistersOfAPart / of_a_warp * kParts / residence.warps);
  }
  const std::uint64_t reserved = gpu.compute_major >= 8 ? kSharedReserved : 0;
  if (const std::uint64_t shared = rounded_up(kernel.shared_memory + reserved, kSharedUnit))
    residence.blocks = std::min(residence.blocks, limits->shared_memory / shared);
  return residence;
}

}  // namespace

std::optional<double> estimated_occupancy(const DeviceRecord& kernel, const GpuShape& gpu) {
  const auto residence = residence_of(kernel, gpu);
  if (!residence) return std::nullopt;
  return std::min(static_cast<double>(residence->blocks), residence->blocks_asked) *
         static_cast<double>(residence->warps) / static_cast<double>(residence->most_warps);
}

std::optional<double> estimated_waves(const DeviceRecord& kernel, const GpuShape& gpu) {
  const auto residence = residence_of(kernel, gpu);
  if (!residence || residence->blocks == 0) return std::nullopt;
  return residence->blocks_asked / static_cast<double>(residence->blocks);
}

}  // namespace ridgeline
