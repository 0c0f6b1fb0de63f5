#include "roofline/run_groups.h"

#include <map>
#include <utility>

#include "roofline/verdict.h"

namespace ridgeline {
namespace {

void set_main_kinds(std::vector<RooflinePoint>& groups, const std::vector<RooflinePoint>& points) {
  std::map<std::pair<std::string, OpKind>, Seconds> times;
  for (const RooflinePoint& point : points)
    if (!point.is_overhead()) times[{point.label, point.kind}] += point.time;
  for (RooflinePoint& group : groups) {
    Seconds most{-1};
    for (auto at = times.lower_bound({group.label, OpKind{}});
         at != times.end() && at->first.first == group.label; ++at) {
      if (at->second <= most) continue;
      most = at->second;
      group.kind = at->first.second;
    }
  }
}

}  // namespace

std::vector<RooflinePoint> run_groups(const std::vector<RooflinePoint>& points,
                                      const Ceilings& ceilings) {
  std::vector<RooflinePoint> groups = judged_groups(points, PointGrouping::Kernel, ceilings);
  set_main_kinds(groups, points);
  return groups;
}

}  // namespace ridgeline
