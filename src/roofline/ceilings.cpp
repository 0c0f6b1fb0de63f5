#include "roofline/ceilings.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ridgeline {
namespace {

constexpr std::array<std::string_view, kComputePaths> kPathNames{
    "fp64",        "fp32",        "fp16",        "bf16",       "fp64 tensor",
    "tf32 tensor", "fp16 tensor", "bf16 tensor", "fp8 tensor", "int8 tensor"};
constexpr std::array<std::string_view, kMemoryLevels> kLevelNames{"DRAM", "L3", "L2", "L1"};

}  // namespace

std::string_view name_of(ComputePath path) { return kPathNames[index_of(path)]; }

std::optional<ComputePath> compute_path(std::string_view name) {
  const auto at = std::ranges::find(kPathNames, name);
  if (at == kPathNames.end()) return std::nullopt;
  return static_cast<ComputePath>(at - kPathNames.begin());
}

bool is_tensor(ComputePath path) { return path >= ComputePath::TensorFp64; }

std::string_view name_of(MemoryLevel level) { return kLevelNames[index_of(level)]; }

std::optional<MemoryLevel> memory_level(std::string_view name) {
  const auto at = std::ranges::find(kLevelNames, name);
  if (at == kLevelNames.end()) return std::nullopt;
  return static_cast<MemoryLevel>(at - kLevelNames.begin());
}

std::array<ComputePath, kComputePaths> all_compute_paths() {
  std::array<ComputePath, kComputePaths> paths{};
  for (std::size_t i = 0; i < paths.size(); ++i) paths[i] = static_cast<ComputePath>(i);
  return paths;
}

std::array<MemoryLevel, kMemoryLevels> all_memory_levels() {
  std::array<MemoryLevel, kMemoryLevels> levels{};
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<MemoryLevel>(i);
  return levels;
}

void Ceilings::set(ComputePath path, std::optional<FlopPerSecond> peak) {
  compute[index_of(path)] = peak;
  compute_interval[index_of(path)].reset();
}

void Ceilings::set(MemoryLevel level, std::optional<BytesPerSecond> peak) {
  bandwidth[index_of(level)] = peak;
  bandwidth_interval[index_of(level)].reset();
}

bool Ceilings::empty() const {
  return std::ranges::none_of(compute, [](const auto& peak) { return peak.has_value(); }) &&
         std::ranges::none_of(bandwidth, [](const auto& peak) { return peak.has_value(); });
}

std::optional<FlopPerByte> knee(const Ceilings& ceilings, ComputePath path, MemoryLevel level) {
  const auto peak = ceilings.of(path);
  const auto bandwidth = ceilings.of(level);
  if (!peak || !bandwidth || !(bandwidth->value > 0)) return std::nullopt;
  return FlopPerByte{peak->value / bandwidth->value};
}

std::string interval_text(double peak, const PeakInterval& interval) {
  const double worst = std::max(interval.high / peak - 1, 1 - interval.low / peak);
  return fmt::format("± {:.1f} %", 100 * worst);
}

std::string restless_peaks(const Ceilings& ceilings) {
  std::vector<std::string> names;
  const auto add = [&](std::string name, double peak, const std::optional<PeakInterval>& interval) {
    if (interval && !interval->steady)
      names.push_back(fmt::format("{} ({})", name, interval_text(peak, *interval)));
  };
  for (const ComputePath path : all_compute_paths()) {
    if (const auto peak = ceilings.of(path))
      add(fmt::format("{} compute", name_of(path)), peak->value,
          ceilings.compute_interval[index_of(path)]);
  }
  for (const MemoryLevel level : all_memory_levels()) {
    if (const auto peak = ceilings.of(level))
      add(std::string(name_of(level)), peak->value, ceilings.bandwidth_interval[index_of(level)]);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace ridgeline
