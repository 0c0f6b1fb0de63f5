#include "core/cpu.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <sched.h>

#include "core/atomic_file.h"
#include "core/error.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kSystemFileLimit{16.0 * 1024 * 1024};

struct Extension {
  std::string_view kernel_word;
  std::string_view name;
};

// Those that decide which kernels a library picks; x86 first, then Arm.
constexpr std::array kExtensions{
    Extension{"sse4_2", "sse4.2"},
    Extension{"avx", "avx"},
    Extension{"avx2", "avx2"},
    Extension{"fma", "fma"},
    Extension{"f16c", "f16c"},
    Extension{"avx_vnni", "avx_vnni"},
    Extension{"avx512f", "avx512f"},
    Extension{"avx512bw", "avx512bw"},
    Extension{"avx512vl", "avx512vl"},
    Extension{"avx512dq", "avx512dq"},
    Extension{"avx512_vnni", "avx512_vnni"},
    Extension{"avx512_bf16", "avx512_bf16"},
    Extension{"avx512_fp16", "avx512_fp16"},
    Extension{"amx_tile", "amx_tile"},
    Extension{"amx_bf16", "amx_bf16"},
    Extension{"amx_int8", "amx_int8"},
    Extension{"amx_fp16", "amx_fp16"},
    Extension{"asimd", "neon"},
    Extension{"asimdhp", "fp16"},
    Extension{"asimddp", "dotprod"},
    Extension{"sve", "sve"},
    Extension{"sve2", "sve2"},
    Extension{"bf16", "bf16"},
    Extension{"i8mm", "i8mm"},
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::optional<std::string> read_word(const fs::path& path) {
  try {
    const std::string text = read_file(path, kSystemFileLimit);
    if (const auto word = trimmed(text); !word.empty()) return std::string(word);
  } catch (const Error&) {
    // Virtual machines and containers expose little of this.
  }
  return std::nullopt;
}

std::vector<std::string> known_extensions(std::string_view flags) {
  std::set<std::string_view> present;
  while (!(flags = trimmed(flags)).empty()) {
    const std::string_view word = flags.substr(0, flags.find(' '));
    present.insert(word);
    flags.remove_prefix(word.size());
  }
  std::vector<std::string> names;
  for (const Extension& extension : kExtensions) {
    if (present.contains(extension.kernel_word)) names.emplace_back(extension.name);
  }
  return names;
}

// The folder of the first core's data cache of a level.
std::optional<fs::path> cache_folder_of(const fs::path& root, std::string_view level) {
  constexpr int kMostCaches = 16;
  for (int index = 0; index < kMostCaches; ++index) {
    const fs::path cache =
        root / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    const auto found = read_word(cache / "level");
    if (!found) return std::nullopt;
    if (*found == level && read_word(cache / "type") != "Instruction") return cache;
  }
  return std::nullopt;
}

std::optional<Bytes> cache_size(const fs::path& root, std::string_view level) {
  const auto cache = cache_folder_of(root, level);
  const auto size = cache ? read_word(*cache / "size") : std::nullopt;
  return size ? parse_cache_size(*size) : std::nullopt;
}

std::optional<int> cache_cores(const fs::path& root, std::string_view level) {
  const auto cache = cache_folder_of(root, level);
  const auto list = cache ? read_word(*cache / "shared_cpu_list") : std::nullopt;
  const auto count = list ? parse_cpu_list(*list).size() : 0;
  return count > 0 ? std::optional(static_cast<int>(count)) : std::nullopt;
}

std::optional<double> parse_clock(std::string_view text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} && value > 0 ? std::optional(value) : std::nullopt;
}

bool has_any(const CpuFacts& cpu, std::initializer_list<std::string_view> extensions) {
  return std::ranges::any_of(extensions, [&](std::string_view name) {
    return std::ranges::find(cpu.isa, name) != cpu.isa.end();
  });
}

int count_usable(int otherwise) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : otherwise;
}

}  // namespace

bool computes_in_bf16(const CpuFacts& cpu) {
  return has_any(cpu, {"avx512_bf16", "amx_bf16", "bf16"});
}

bool computes_in_fp16(const CpuFacts& cpu) {
  return has_any(cpu, {"avx512_fp16", "amx_fp16", "fp16"});
}

CpuFacts parse_cpuinfo(std::string_view text) {
  CpuFacts facts;
  std::set<std::pair<std::string, std::string>> cores;  // package and core
  std::string package;
  const auto keep_first = [](std::string& place, std::string_view value) {
    if (place.empty()) place = value;
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "processor") ++facts.logical_cores;
    if (key == "model name") keep_first(facts.model, value);
    if (key == "vendor_id" || key == "CPU implementer") keep_first(facts.vendor, value);
    if (key == "cpu MHz" && !facts.clock_mhz) facts.clock_mhz = parse_clock(value);
    if (key == "physical id") package = value;
    if (key == "core id") cores.emplace(package, value);
    if ((key == "flags" || key == "Features") && facts.isa.empty()) {
      facts.isa = known_extensions(value);
    }
  }
  // Arm and some virtual machines name no cores; then there is no sign of more than one thread
  // each.
  facts.physical_cores = cores.empty() ? facts.logical_cores : static_cast<int>(cores.size());
  return facts;
}

std::optional<Bytes> parse_cache_size(std::string_view text) {
  text = trimmed(text);
  std::uint64_t number = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) return std::nullopt;
  const auto value = static_cast<double>(number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  if (unit == "K") return Bytes{value * 1024};
  if (unit == "M") return Bytes{value * 1024 * 1024};
  if (unit == "G") return Bytes{value * 1024 * 1024 * 1024};
  return unit.empty() ? std::optional(Bytes{value}) : std::nullopt;
}

CpuFacts read_cpu_facts(const std::filesystem::path& root) {
  CpuFacts facts = parse_cpuinfo(read_file(root / "proc/cpuinfo", kSystemFileLimit));
  facts.usable_cores = count_usable(facts.logical_cores);
  facts.governor = read_word(root / "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  facts.l1 = cache_size(root, "1");
  facts.l2 = cache_size(root, "2");
  facts.l3 = cache_size(root, "3");
  facts.l3_cores = cache_cores(root, "3");
  return facts;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  constexpr int kMostCpus = 65536;
  std::vector<int> cpus;
  text = trimmed(text);
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    int first = 0;
    const char* const end = part.data() + part.size();
    auto [stop, code] = std::from_chars(part.data(), end, first);
    int last = first;
    if (code == std::errc{} && stop != end && *stop == '-') {
      const auto range = std::from_chars(stop + 1, end, last);
      stop = range.ptr;
      code = range.ec;
    }
    if (code != std::errc{} || stop != end || first < 0 || last < first || last >= kMostCpus)
      return {};
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> cores_apart(const fs::path& root) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  std::vector<int> first;
  std::vector<int> siblings;
  std::set<int> seen;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    (seen.contains(cpu) ? siblings : first).push_back(cpu);
    const auto list = read_word(root / "sys/devices/system/cpu" / ("cpu" + std::to_string(cpu)) /
                                "topology/thread_siblings_list");
    if (!list) continue;
    for (const int sibling : parse_cpu_list(*list)) seen.insert(sibling);
  }
  first.insert(first.end(), siblings.begin(), siblings.end());
  return first;
}

}  // namespace ridgeline
