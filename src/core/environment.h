#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/build_info.h"
#include "core/cpu.h"
#include "core/memory.h"
#include "core/nvml.h"

namespace ridgeline {

struct GpuReport {
  GpuFacts facts{};
  std::optional<GpuState> state{};
};

// What surrounds a measurement and may explain it; stands beside every result.
struct Environment {
  std::string machine{};
  std::string os{};
  std::string kernel{};
  std::string architecture{};
  CpuFacts cpu{};
  HostMemory memory{};
  std::optional<std::array<double, 3>> load_average{};  // over 1, 5, 15 minutes
  std::vector<GpuReport> gpus{};
  std::string no_gpu_reason{};  // empty when there are GPUs
  BuildInfo build{};
};

[[nodiscard]] Environment inspect_environment();
[[nodiscard]] nlohmann::json to_json(const Environment& environment);
[[nodiscard]] nlohmann::json read_environment();  // both in one

[[nodiscard]] std::optional<std::string> parse_os_release(std::string_view text);
[[nodiscard]] std::optional<std::array<double, 3>> parse_load_average(std::string_view text);

}  // namespace ridgeline
