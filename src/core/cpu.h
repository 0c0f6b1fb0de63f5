#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace ridgeline {

struct CpuFacts {
  std::string model{};
  std::string vendor{};
  int logical_cores = 0;
  int physical_cores = 0;
  int usable_cores = 0;                   // what this process may run on (affinity)
  std::vector<std::string> isa{};         // extensions that matter here: "avx2", "fma", "amx_bf16"
  std::optional<std::string> governor{};  // absent when not exposed, as in most virtual machines
  std::optional<double> clock_mhz{};  // as the system tells it now; a virtual machine's is fixed
  std::optional<Bytes> l1{};          // of one core, for data
  std::optional<Bytes> l2{};          // of one core
  std::optional<Bytes> l3{};          // of one cluster of cores
  std::optional<int> l3_cores{};      // logical cores in such a cluster
};

// Whether the CPU computes in these itself; where it does not, libraries emulate, slower than fp32.
[[nodiscard]] bool computes_in_bf16(const CpuFacts& cpu);
[[nodiscard]] bool computes_in_fp16(const CpuFacts& cpu);

// `root` is where /proc and /sys are looked up.
[[nodiscard]] CpuFacts read_cpu_facts(const std::filesystem::path& root = "/");

// Everything that /proc/cpuinfo tells; the rest stays as it is by default.
[[nodiscard]] CpuFacts parse_cpuinfo(std::string_view text);

// The CPUs that this process may run on, one of each physical core before their siblings: the first
// n of them are the n that disturb each other least.
[[nodiscard]] std::vector<int> cores_apart(const std::filesystem::path& root = "/");

// "0-3,8" as sysfs lists CPUs; what is no such list is empty.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

// "48K", "2M" as sysfs writes cache sizes.
[[nodiscard]] std::optional<Bytes> parse_cache_size(std::string_view text);

}  // namespace ridgeline
