#include "core/memory.h"

#include <algorithm>
#include <charconv>
#include <string>

#include <fcntl.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/file_descriptor.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kSystemFileLimit{4.0 * 1024 * 1024};

std::optional<std::string> read_if_there(const fs::path& path) {
  try {
    return read_file(path, kSystemFileLimit);
  } catch (const Error&) {
    return std::nullopt;  // /proc and /sys show each kernel and container something else
  }
}

std::optional<double> leading_number(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first);
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) return std::nullopt;
  return static_cast<double>(value);
}

// What follows `key` on the line that starts with it.
std::optional<std::string_view> rest_of_line(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(key)) return line.substr(key.size());
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return std::nullopt;
}

struct CgroupFiles {
  const char* controller;  // its name in /proc/self/cgroup
  const char* mount;
  const char* limit;
  const char* usage;
  const char* reclaimable;  // in memory.stat: file cache that is given up when memory runs short
};

constexpr CgroupFiles kVersion1{"memory", "sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                "memory.usage_in_bytes", "total_inactive_file"};
constexpr CgroupFiles kVersion2{"", "sys/fs/cgroup", "memory.max", "memory.current",
                                "inactive_file"};

struct Allowance {
  Bytes limit;
  Bytes left;
};

std::optional<Allowance> read_allowance(const fs::path& folder, const CgroupFiles& files) {
  const auto number = [&](const char* name) -> std::optional<Bytes> {
    const auto text = read_if_there(folder / name);
    return text ? parse_cgroup_bytes(*text) : std::nullopt;
  };
  const auto limit = number(files.limit);
  const auto usage = number(files.usage);
  if (!limit || !usage) return std::nullopt;
  const auto stat = read_if_there(folder / "memory.stat");
  const auto cache = stat ? parse_memory_stat(*stat, files.reclaimable) : std::nullopt;
  const double held = std::max(0.0, usage->count - cache.value_or(Bytes{}).count);
  return Allowance{*limit, {std::max(0.0, limit->count - held)}};
}

// A group is bound by all groups above it. Inside a container the path may name folders of the
// host that are not there; then the mount's own folder is our group, and it is visited last.
void apply_cgroups(HostMemory& memory, const fs::path& root, const CgroupFiles& files) {
  const auto text = read_if_there(root / "proc/self/cgroup");
  const auto path = text ? parse_cgroup_path(*text, files.controller) : std::nullopt;
  if (!path) return;
  fs::path group = fs::path(*path).relative_path().lexically_normal();
  for (;;) {
    if (const auto allowance = read_allowance(root / files.mount / group, files)) {
      memory.total = std::min(memory.total, allowance->limit);
      memory.available = std::min(memory.available, allowance->left);
    }
    if (group.empty() || group == ".") return;
    group = group.parent_path();
  }
}

// `ulimit -v`, as schedulers set it: what is asked for beyond it is refused, however much is free.
void apply_address_limit(HostMemory& memory, const fs::path& root, const std::string& status) {
  const auto limits = read_if_there(root / "proc/self/limits");
  const auto rest = limits ? rest_of_line(*limits, "Max address space") : std::nullopt;
  const auto used = parse_kilobyte_line(status, "VmSize");
  if (!rest || !used) return;
  const auto limit = parse_cgroup_bytes(*rest);
  if (!limit) return;
  memory.total = std::min(memory.total, *limit);
  memory.available = std::min(memory.available, Bytes{std::max(0.0, limit->count - used->count)});
}

}  // namespace

std::optional<Bytes> parse_kilobyte_line(std::string_view text, std::string_view key) {
  const auto rest = rest_of_line(text, std::string(key) + ':');
  const auto kilobytes = rest ? leading_number(*rest) : std::nullopt;
  if (!kilobytes) return std::nullopt;
  return Bytes{*kilobytes * 1024};
}

std::optional<Bytes> parse_cgroup_bytes(std::string_view text) {
  const auto value = leading_number(text);
  if (!value) return std::nullopt;
  return Bytes{*value};
}

std::optional<Bytes> parse_memory_stat(std::string_view text, std::string_view key) {
  const auto rest = rest_of_line(text, std::string(key) + ' ');
  return rest ? parse_cgroup_bytes(*rest) : std::nullopt;
}

std::optional<std::string_view> parse_cgroup_path(std::string_view text,
                                                  std::string_view controller) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    std::string_view names = line.substr(first + 1, second - first - 1);
    for (bool more = true; more;) {  // "cpu,cpuacct" is one hierarchy with two controllers
      const std::string_view name = names.substr(0, names.find(','));
      if (name == controller) return line.substr(second + 1);
      more = name.size() < names.size();
      if (more) names.remove_prefix(name.size() + 1);
    }
  }
  return std::nullopt;
}

HostMemory read_host_memory(const std::filesystem::path& root) {
  const std::string meminfo = read_file(root / "proc/meminfo", kSystemFileLimit);
  const auto total = parse_kilobyte_line(meminfo, "MemTotal");
  const auto available = parse_kilobyte_line(meminfo, "MemAvailable");
  if (!total || !available) {
    throw Error(Fault::Io, "/proc/meminfo names neither MemTotal nor MemAvailable");
  }
  HostMemory memory{.total = *total, .available = *available, .resident = {}, .peak_resident = {}};
  apply_cgroups(memory, root, kVersion1);
  apply_cgroups(memory, root, kVersion2);
  if (const auto status = read_if_there(root / "proc/self/status")) {
    memory.resident = parse_kilobyte_line(*status, "VmRSS").value_or(Bytes{});
    memory.peak_resident = parse_kilobyte_line(*status, "VmHWM").value_or(memory.resident);
    apply_address_limit(memory, root, *status);
  }
  return memory;
}

bool reset_peak_resident() {
  const FileDescriptor file(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  return file.is_open() && write_all(file, "5");
}

}  // namespace ridgeline
