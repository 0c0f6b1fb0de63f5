#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/session.h"
#include "measure/row_spec.h"
#include "profile/shape_points.h"
#include "report/roofline_files.h"
#include "roofline/counted_kernels.h"

namespace ridgeline {

enum class CounterUse { Auto, On, Off };
// Throws Error(BadInput) that names the nearest valid word.
[[nodiscard]] CounterUse parse_counter_use(std::string_view word);

// What `roofline run` wants to know of each setting.
struct RooflineRequest {
  PointsPer per = PointsPer::Op;
  std::vector<MemoryLevel> levels{MemoryLevel::Dram};
  CounterUse counters = CounterUse::Auto;
  int steps = 3;
  bool quiet = false;
};

// The unit whose peak the products of a precision are held to.
[[nodiscard]] ComputePath product_path_of(Precision precision);

// What this machine can do, measured or from the cache: the products of each setting's precision
// and of fp32, and main memory; everything where other levels are asked for too.
[[nodiscard]] Ceilings ceilings_here(const Engine& engine, const std::vector<RowSpec>& specs,
                                     const std::vector<MemoryLevel>& levels);

// Records a few steps of a setting and makes points of them. Throws what `profile` throws; absent
// when the user interrupted.
[[nodiscard]] std::optional<RooflineRun> roofline_of(const Session& session, const RowSpec& spec,
                                                     const RooflineRequest& request,
                                                     const Ceilings& ceilings);

}  // namespace ridgeline
