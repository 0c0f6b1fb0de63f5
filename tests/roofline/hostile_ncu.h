#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "roofline/ncu_points.h"
#include "roofline/points_file.h"
#include "roofline/summary_file.h"

namespace ridgeline {

// Whatever the bytes, the readers return points whose numbers are finite and not negative, or throw
// one line of Error(BadInput) that names the source; anything else is wrong.
template <class Read>
bool survives(Read&& read) {
  try {
    for (const RooflinePoint& point : read()) {
      const double flop = point.total_flop().count;
      const double bytes = point.of(MemoryLevel::Dram).value_or(Bytes{}).count;
      if (!(point.time.count() > 0) || !std::isfinite(point.time.count())) return false;
      if (!(flop >= 0) || !std::isfinite(flop) || !(bytes >= 0) || !std::isfinite(bytes))
        return false;
      const double rate = point.rate().value_or(FlopPerSecond{}).value;
      const double intensity = point.intensity(MemoryLevel::Dram).value_or(FlopPerByte{}).value;
      if (!std::isfinite(rate) || !std::isfinite(intensity)) return false;
    }
    return true;
  } catch (const Error& error) {
    const std::string_view line = error.what();
    return error.fault() == Fault::BadInput && line.find("hostile") != std::string_view::npos &&
           line.find('\n') == std::string_view::npos;
  }
}

inline bool survives_as_ncu(std::string_view text) {
  return survives([&] { return points_of(parse_ncu_csv(text, "hostile")).points; });
}

inline bool survives_as_summary(std::string_view text) {
  return survives([&] { return std::vector{point_of(parse_summary(text, "hostile"))}; });
}

inline bool survives_as_points(std::string_view text) {
  return survives([&] { return parse_points_json(text, "hostile").points; });
}

}  // namespace ridgeline
