#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/ceilings.h"
#include "trace/op_kind.h"

namespace ridgeline {

// No machine reaches this, in any unit, nor less than one over it: a number of a file beyond is
// none, and would only overflow what is made of it.
inline constexpr double kMostOfAnything = 1e30;

// What ran, whoever counted it: a profiler's file, hardware counters or a model of the shapes.
// Times, FLOPs and bytes are of all calls together. Bytes of a level nobody counted are absent.
struct RooflinePoint {
  std::string label{};   // a kernel, an op, a phase or a whole step
  std::string detail{};  // "(512, 2, 1) × (8, 8, 1)": grid and block, or shapes
  std::string phase{};   // "train_step/forward"; empty when unknown
  OpKind kind = OpKind::Other;
  std::uint64_t calls = 1;
  Seconds time{};
  std::array<Flop, kComputePaths> flop{};
  std::array<std::optional<Bytes>, kMemoryLevels> bytes{};
  // What the profiler says of the units' business, in percent of their peak; weighted by time.
  std::optional<double> sm_percent{};
  std::optional<double> dram_percent{};
  std::optional<double> occupancy_percent{};
  std::optional<double> waves{};  // of blocks over all multiprocessors; of one call
  // FLOPs and bytes are what the shapes ask for at least, not what was counted.
  bool by_shapes = false;
  // Of several that became one, some are by shapes and others counted.
  bool partly_by_shapes = false;
  // Of several of one name: the details that took most of its time, each with its calls and share.
  std::vector<std::string> shapes{};
  // What its parts could win, each under its own ceiling, where it was made of judged ones.
  std::optional<Seconds> won{};

  [[nodiscard]] Flop total_flop() const;
  // Known to do nothing that a ceiling could hold up: views, launches, what lies between ops.
  [[nodiscard]] bool is_overhead() const;
  [[nodiscard]] std::optional<Bytes> of(MemoryLevel level) const { return bytes[index_of(level)]; }
  // The path with most FLOPs: the one whose peak is shown beside it; fp32 when there are none.
  [[nodiscard]] ComputePath main_path() const;
  // Absent when the level was not counted or nothing was moved.
  [[nodiscard]] std::optional<FlopPerByte> intensity(MemoryLevel level) const;
  // Absent when no time passed.
  [[nodiscard]] std::optional<FlopPerSecond> rate() const;
};

enum class PointGrouping { Launch, Kernel, Kind, Phase, Total };
[[nodiscard]] const std::vector<std::string_view>& point_grouping_names();
// Throws Error(BadInput) for another word.
[[nodiscard]] PointGrouping point_grouping(std::string_view word);

// Points that belong together become one, longest time first; launches keep their order. What only
// some of a group counted (bytes of a level) is absent from the sum, for it would be too small. Of
// several kinds a group is of the one that takes most of its time, but for the total.
// With `won` each group has the sum of what it says of the points.
using WonOf = std::function<Seconds(const RooflinePoint&)>;
[[nodiscard]] std::vector<RooflinePoint> grouped(const std::vector<RooflinePoint>& points,
                                                 PointGrouping grouping, const WonOf& won = {});

// All as one point. Throws Error(BadInput) when there are none.
[[nodiscard]] RooflinePoint total_of(const std::vector<RooflinePoint>& points, std::string label);

// The label as people read it. Names of kernels and ops are shortened; of kinds, phases and the
// like every word counts.
[[nodiscard]] std::string short_label(const RooflinePoint& point);

// "void at::native::vec_kernel<(int)4, at::native::AddFunctor<float>>(int, T1)" as "AddFunctor in
// vec_kernel": the function's own name, after what it was made for where that is a functor.
[[nodiscard]] std::string short_kernel_name(std::string_view name);

}  // namespace ridgeline
