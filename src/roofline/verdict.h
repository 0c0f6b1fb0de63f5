#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "roofline/point.h"

namespace ridgeline {

// A point that reaches this share of its nearest ceiling is held down by it; below, none of the
// ceilings explains the time, and it is latency: too little work at once, dependences, launches.
// 60 % is where Nsight Compute's own rule draws the line.
inline constexpr double kBindingShare = 0.6;
// More of a ceiling than this is no measuring error: something is wrong, and said so.
inline constexpr double kMostCredible = 1.05;

// The ceiling that takes longest to get the point's work through, and so the nearest above it.
struct Ceiling {
  std::variant<ComputePath, MemoryLevel> what{};
  Seconds least_time{};                    // of all calls, at the ceiling's peak
  [[nodiscard]] std::string name() const;  // "DRAM", "fp32 compute"
};

// Why no ceiling was reached: "launch", ...
enum class Unreached {
  Launch,     // its calls are shorter than a launch takes
  Occupancy,  // too few blocks, or too few warps of them, to fill the device
  Latency     // dependences, or units that no ceiling stands for
};
inline constexpr std::size_t kUnreachedCauses = 3;
[[nodiscard]] std::string_view name_of(Unreached cause);

struct PointVerdict {
  std::optional<Ceiling> nearest{};      // absent when no known ceiling applies to what it did
  double share = 0;                      // of the nearest ceiling that was reached; may exceed 1
  bool binding = false;                  // share >= kBindingShare
  Unreached cause = Unreached::Latency;  // where it is not
  // Most of its FLOPs are of a format whose peak is not known: how near it is to that ceiling
  // nobody can tell.
  bool without_peak = false;
  bool overhead = false;        // did nothing that any ceiling holds up: all of it is to win
  Seconds won{};                // time saved if it sat on its nearest ceiling; never negative
  std::string evidence{};       // why it is latency, or what is odd; may be empty
  std::optional<double> hfu{};  // share of the compute peak, by executed FLOPs
  [[nodiscard]] std::string bound() const;  // "DRAM", "fp32 compute", "latency", "overhead", ...
};
[[nodiscard]] PointVerdict judge(const RooflinePoint& point, const Ceilings& ceilings);

// As grouped(), and what a group could win is the sum of what its points could: each has its own
// ceiling, and together they would be held to one that few of them stand under.
[[nodiscard]] std::vector<RooflinePoint> judged_groups(const std::vector<RooflinePoint>& points,
                                                       PointGrouping grouping,
                                                       const Ceilings& ceilings);

// The whole: its time, the least it could take were each part on its own ceiling, and whose fault
// the difference is.
struct StepVerdict {
  Seconds time{};
  Seconds least{};
  struct Part {
    std::string kind{};
    Seconds won{};
    double share_of_gap = 0;
  };
  std::vector<Part> gap{};  // by kind, largest first
  Seconds unexplained{};    // time of points that no known ceiling applies to; counted in `least`
};
[[nodiscard]] StepVerdict judge_step(const std::vector<RooflinePoint>& points,
                                     const Ceilings& ceilings);

// "This step took 9.81 ms and could take 3.02 ms at best on L4 (NVIDIA L4 datasheet); 61.0 % of the
// gap is normalisation, 22.1 % convolution."
[[nodiscard]] std::string step_sentence(const StepVerdict& verdict, const Ceilings& ceilings);

// "No ceiling was reached in 67 % of the time: latency 60 %, launch 5 %, occupancy 2 %." Absent
// where there is nothing but latency to tell, as of a host's ops.
[[nodiscard]] std::optional<std::string> cause_sentence(const std::vector<RooflinePoint>& points,
                                                        const Ceilings& ceilings);

// "No bf16 tensor peak is known (T4: NVIDIA T4 datasheet): 44.6 GFLOP (99 %) stand under no ceiling
// ..." Absent where every format in use has its peak, but for stray instructions.
[[nodiscard]] std::optional<std::string> without_peak_sentence(
    const std::vector<RooflinePoint>& points, const Ceilings& ceilings);

// The FLOPs of formats whose peak is not known; none where they are less than 1 % of the point's.
[[nodiscard]] Flop flop_without_peak(const RooflinePoint& point, const Ceilings& ceilings);

// Model FLOP utilisation: what the model needs by its definition, recomputation not counted, over
// what the peak could have done in that time. Hardware FLOP utilisation: the same of what was in
// fact executed, each kind over the peak of its unit. Absent unless time and peak are above zero;
// a unit without a known peak may have done up to 1 % of the work.
[[nodiscard]] std::optional<double> model_flop_utilisation(Flop needed, Seconds time,
                                                           FlopPerSecond peak);
[[nodiscard]] std::optional<double> hardware_flop_utilisation(const RooflinePoint& point,
                                                              const Ceilings& ceilings);

}  // namespace ridgeline
