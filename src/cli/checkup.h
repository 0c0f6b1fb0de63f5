#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/environment.h"

namespace ridgeline {

// What was found out about the parts that are not the machine itself.
struct Installation {
  std::optional<std::string> torch_version;  // absent: torch_obstacle says why
  std::string torch_path;
  std::string torch_obstacle;
  std::optional<std::string> cuda_obstacle;  // absent: CUDA devices can be used
  bool has_cuda_plugin = false;
  bool has_gnuplot = false;
  bool has_plotly = false;
  std::optional<bool> counters_permitted;  // absent without a driver
};

// One line of the doctor's list. A check that is not fine says what its absence costs and what to
// do.
struct Check {
  enum class State { Fine, Note, Missing };
  std::string topic{};
  State state = State::Fine;
  std::string found{};
  std::string cost{};
  std::string remedy{};
};

[[nodiscard]] std::vector<Check> check_up(const Environment& environment,
                                          const Installation& installation);

// Nothing can be measured without LibTorch.
[[nodiscard]] bool can_run(const Installation& installation);

// Hardware counters are the administrator's alone unless the driver says otherwise: `params` is
// /proc/driver/nvidia/params.
[[nodiscard]] bool counters_permitted(const std::string& params, bool is_root);

}  // namespace ridgeline
