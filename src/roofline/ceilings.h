#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/units.h"

namespace ridgeline {

// Who computes: the vector units in a number format, or the matrix units (tensor cores) in theirs.
// A GPU has a peak for each, and a kernel is held to the peak of what it used.
enum class ComputePath {
  Fp64,
  Fp32,
  Fp16,
  Bf16,
  TensorFp64,
  TensorTf32,
  TensorFp16,
  TensorBf16,
  TensorFp8,
  TensorInt8
};
inline constexpr std::size_t kComputePaths = 10;
[[nodiscard]] std::string_view name_of(ComputePath path);  // "fp32", "bf16 tensor"
[[nodiscard]] std::optional<ComputePath> compute_path(std::string_view name);
[[nodiscard]] bool is_tensor(ComputePath path);

// Where bytes were moved. L3 is for CPUs; L1 of a GPU is its L1 and shared memory.
enum class MemoryLevel { Dram, L3, L2, L1 };
inline constexpr std::size_t kMemoryLevels = 4;
[[nodiscard]] std::string_view name_of(MemoryLevel level);  // "DRAM", "L2"
[[nodiscard]] std::optional<MemoryLevel> memory_level(std::string_view name);

inline constexpr std::size_t index_of(ComputePath path) { return static_cast<std::size_t>(path); }
inline constexpr std::size_t index_of(MemoryLevel level) { return static_cast<std::size_t>(level); }
[[nodiscard]] std::array<ComputePath, kComputePaths> all_compute_paths();
[[nodiscard]] std::array<MemoryLevel, kMemoryLevels> all_memory_levels();

// How sure a measured peak is: 95 %, in its unit. One that is not steady was measured while the
// machine did something else.
struct PeakInterval {
  double low{};
  double high{};
  bool steady = true;
};

// What a machine can do at most. A peak that nobody gave is absent, never a guess.
struct Ceilings {
  std::string machine{};  // "L4"
  std::string source{};   // "NVIDIA L4 datasheet", "measured here", "given by flags"
  std::array<std::optional<FlopPerSecond>, kComputePaths> compute{};
  std::array<std::optional<BytesPerSecond>, kMemoryLevels> bandwidth{};
  // Of those that were measured.
  std::array<std::optional<PeakInterval>, kComputePaths> compute_interval{};
  std::array<std::optional<PeakInterval>, kMemoryLevels> bandwidth_interval{};

  [[nodiscard]] std::optional<FlopPerSecond> of(ComputePath path) const {
    return compute[index_of(path)];
  }
  [[nodiscard]] std::optional<BytesPerSecond> of(MemoryLevel level) const {
    return bandwidth[index_of(level)];
  }
  // One that somebody gave: nothing was measured. Absent: there is none any more.
  void set(ComputePath path, std::optional<FlopPerSecond> peak);
  void set(MemoryLevel level, std::optional<BytesPerSecond> peak);
  [[nodiscard]] bool empty() const;
};

// "fp32 compute (± 43 %), DRAM (± 18 %)": the peaks that are not steady; empty when all are.
[[nodiscard]] std::string restless_peaks(const Ceilings& ceilings);
// "± 3.1 %": the further end of the interval.
[[nodiscard]] std::string interval_text(double peak, const PeakInterval& interval);

// The arithmetic intensity from which on a path's peak, not the level's bandwidth, is the roof.
// Absent when one of the two is.
[[nodiscard]] std::optional<FlopPerByte> knee(const Ceilings& ceilings, ComputePath path,
                                              MemoryLevel level);

}  // namespace ridgeline
