#include "report/roofline_arrows.h"

#include <algorithm>
#include <array>
#include <map>

namespace ridgeline {
namespace {

// Dots of one name, by set, in the order of their points.
using Namesakes = std::array<std::vector<std::size_t>, 2>;

std::map<std::string, Namesakes> by_name(const RooflineScene& scene, bool single) {
  std::map<std::string, Namesakes> names;
  for (std::size_t i = 0; i < scene.dots.size(); ++i) {
    const RooflineDot& dot = scene.dots[i];
    names[single ? "" : dot.label].at(dot.set).push_back(i);
  }
  for (auto& [name, dots] : names) {
    for (auto& of_set : dots)
      std::ranges::sort(of_set, {}, [&](std::size_t i) { return scene.dots[i].place; });
  }
  return names;
}

}  // namespace

std::vector<RooflineArrow> arrows_between(const RooflineScene& scene,
                                          const std::vector<PointSet>& sets) {
  const auto point_of = [&](std::size_t i) -> const RooflinePoint& {
    return sets[scene.dots[i].set].points[scene.dots[i].place];
  };
  const auto alike = [&](std::size_t from, std::size_t to) {
    return point_of(from).detail == point_of(to).detail &&
           point_of(from).phase == point_of(to).phase;
  };
  std::vector<RooflineArrow> arrows;
  const bool single = sets[0].points.size() == 1 && sets[1].points.size() == 1;
  for (auto& [name, dots] : by_name(scene, single)) {
    std::vector<std::size_t> to = dots[1];
    std::vector<std::size_t> left;
    for (const std::size_t from : dots[0]) {
      const auto like = std::ranges::find_if(to, [&](std::size_t i) { return alike(from, i); });
      if (like == to.end()) {
        left.push_back(from);
        continue;
      }
      arrows.push_back({.from = from, .to = *like});
      to.erase(like);
    }
    for (std::size_t i = 0; i < std::min(left.size(), to.size()); ++i)
      arrows.push_back({.from = left[i], .to = to[i]});
  }
  return arrows;
}

}  // namespace ridgeline
