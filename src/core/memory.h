#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/units.h"

namespace ridgeline {

// What this process may use of the machine's memory, and what it does use. In a container the
// machine's own figures promise more than the kernel will give before it kills us.
struct HostMemory {
  Bytes total{};          // the least of the machine's memory, the cgroups' limits and ulimit -v
  Bytes available{};      // the least of MemAvailable and what those limits leave
  Bytes resident{};       // of this process
  Bytes peak_resident{};  // since start or reset_peak_resident()
};

// `root` is where /proc and /sys are looked up; Error(Io) when /proc/meminfo makes no sense.
[[nodiscard]] HostMemory read_host_memory(const std::filesystem::path& root = "/");

// False where the kernel does not offer it: then peak_resident counts from the start.
[[nodiscard]] bool reset_peak_resident();

// A "Key:   123 kB" line of /proc/meminfo or /proc/self/status.
[[nodiscard]] std::optional<Bytes> parse_kilobyte_line(std::string_view text, std::string_view key);

// A file with one number, or "max", which is absent like everything else that is no number.
[[nodiscard]] std::optional<Bytes> parse_cgroup_bytes(std::string_view text);

// A "key 123" line of memory.stat.
[[nodiscard]] std::optional<Bytes> parse_memory_stat(std::string_view text, std::string_view key);

// Our cgroup's path out of /proc/self/cgroup: `controller` "memory" for v1, "" for v2.
[[nodiscard]] std::optional<std::string_view> parse_cgroup_path(std::string_view text,
                                                                std::string_view controller);

}  // namespace ridgeline
