#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/roofline_counters.h"
#include "measure/row_spec.h"
#include "profile/shape_points.h"
#include "report/roofline_files.h"
#include "roofline/cache_control.h"

namespace ridgeline {

enum class CounterUse { Auto, On, Off };
// Throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] CounterUse parse_counter_use(std::string_view word);

// What `roofline run` wants to know of each setting.
struct RooflineRequest {
  PointsPer per = PointsPer::Op;
  std::vector<MemoryLevel> levels{MemoryLevel::Dram};
  CounterUse counters = CounterUse::Auto;
  CacheControl cache = CacheControl::None;
  int steps = 3;
  bool quiet = false;
};

// The unit whose peak the products of a precision are held to.
[[nodiscard]] ComputePath product_path_of(Precision precision);

// A setting whose steps were recorded; its workload can step on.
struct RecordedSetting {
  const RowSpec& spec;
  const Recording& recording;
  Workload& workload;
  Seconds step{};  // on the clock, with nobody watching
  std::optional<GpuShape> gpu{};
  // What utilisations are of; absent: the ceiling of the products' unit.
  std::optional<FlopPerSecond> product{};
  std::optional<std::string> no_product{};  // why it is not known: then there are no utilisations
};

// Points of a recording: FLOPs and bytes from counters where they are wanted and can be read, else
// from shapes, which every output then says with the reason. Throws Error when only counters would
// do and there are none.
[[nodiscard]] RooflineRun roofline_of_recording(const RecordedSetting& setting,
                                                const RooflineRequest& request,
                                                const Ceilings& ceilings,
                                                const CounterSource& counters);

}  // namespace ridgeline
