#include "roofline/flop_excess.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/error.h"

namespace ridgeline {

std::vector<FlopExcess> flop_excess(const std::vector<RooflinePoint>& by_shapes,
                                    const std::vector<RooflinePoint>& counted, double least) {
  RIDGELINE_CHECK(by_shapes.size() == counted.size());
  std::map<std::string, FlopExcess> labels;
  Flop all{};
  for (std::size_t i = 0; i < counted.size(); ++i) {
    FlopExcess& label = labels[counted[i].label];
    label.asked = label.asked + by_shapes[i].total_flop();
    label.executed = label.executed + counted[i].total_flop();
    all = all + by_shapes[i].total_flop();
  }
  std::vector<FlopExcess> largest;
  for (auto& [name, label] : labels) {
    label.label = name;
    if (label.executed.count - label.asked.count > least * all.count) largest.push_back(label);
  }
  std::ranges::sort(largest, std::greater{}, [](const FlopExcess& label) {
    return label.executed.count - label.asked.count;
  });
  return largest;
}

std::vector<FlopExcess> flop_of_kinds(const std::vector<RooflinePoint>& by_shapes,
                                      const std::vector<RooflinePoint>& counted) {
  RIDGELINE_CHECK(by_shapes.size() == counted.size());
  std::array<FlopExcess, kOpKinds> all;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    FlopExcess& kind = all[static_cast<std::size_t>(counted[i].kind)];
    kind.asked = kind.asked + by_shapes[i].total_flop();
    kind.executed = kind.executed + counted[i].total_flop();
  }
  std::vector<FlopExcess> kinds;
  for (std::size_t i = 0; i < kOpKinds; ++i) {
    all[i].label = name_of(static_cast<OpKind>(i));
    if (all[i].asked.count > 0 || all[i].executed.count > 0) kinds.push_back(all[i]);
  }
  std::ranges::stable_sort(kinds, std::greater{},
                           [](const FlopExcess& kind) { return kind.asked.count; });
  return kinds;
}

}  // namespace ridgeline
