#pragma once

#include <string>
#include <vector>

namespace ridgeline {

// Labels of runs that stand in one picture, apart in what they share and in what each has of its
// own: "resnet18 cpu eager" with "fp32, batch 1" and "bf16, batch 2".
struct RunNames {
  std::string common{};            // empty: nothing
  std::vector<std::string> own{};  // no two alike
};
[[nodiscard]] RunNames names_of_runs(const std::vector<std::string>& labels);

}  // namespace ridgeline
