#include "core/environment.h"

#include <charconv>

#include <nlohmann/json.hpp>
#include <sys/utsname.h>

#include "core/atomic_file.h"
#include "core/error.h"

namespace ridgeline {
namespace {

using nlohmann::json;

constexpr Bytes kSystemFileLimit{1024.0 * 1024};

std::optional<std::string> read_if_there(const char* path) {
  try {
    return read_file(path, kSystemFileLimit);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::int64_t whole(Bytes size) { return static_cast<std::int64_t>(size.count); }

// What is not known is absent.
template <class T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}
void put(json& object, const char* key, const std::optional<Bytes>& value) {
  if (value) object[key] = whole(*value);
}
void put(json& object, const char* key, std::string_view value) {
  if (!value.empty()) object[key] = value;
}

json cpu_json(const CpuFacts& cpu) {
  json object{{"logical_cores", cpu.logical_cores},
              {"physical_cores", cpu.physical_cores},
              {"usable_cores", cpu.usable_cores},
              {"isa", cpu.isa}};
  put(object, "model", cpu.model);
  put(object, "vendor", cpu.vendor);
  put(object, "governor", cpu.governor);
  put(object, "l2_bytes", cpu.l2);
  put(object, "l3_bytes", cpu.l3);
  return object;
}

json state_json(const GpuState& state) {
  json object{{"throttle_reasons", state.throttle_reasons}};
  put(object, "sm_clock_mhz", state.sm_clock_mhz);
  put(object, "memory_clock_mhz", state.memory_clock_mhz);
  put(object, "temperature_c", state.temperature_c);
  put(object, "power_w", state.power_w);
  put(object, "busy_percent", state.gpu_busy_percent);
  object["foreign_processes"] = json::array();
  for (const GpuProcess& process : state.foreign_processes) {
    json entry{{"pid", process.pid}};
    put(entry, "name", process.name);
    put(entry, "memory_bytes", process.memory);
    object["foreign_processes"].push_back(std::move(entry));
  }
  return object;
}

json gpu_json(const GpuReport& gpu) {
  const GpuFacts& facts = gpu.facts;
  json object{{"index", facts.index},
              {"memory_total_bytes", whole(facts.memory_total)},
              {"memory_free_bytes", whole(facts.memory_free)}};
  put(object, "name", facts.name);
  put(object, "uuid", facts.uuid);
  put(object, "pci", facts.pci);
  put(object, "driver", facts.driver);
  put(object, "cuda_driver", facts.cuda_driver);
  if (facts.compute_major && facts.compute_minor) {
    object["compute_capability"] =
        std::to_string(*facts.compute_major) + '.' + std::to_string(*facts.compute_minor);
  }
  put(object, "sm_count", facts.sm_count);
  put(object, "max_sm_clock_mhz", facts.max_sm_clock_mhz);
  put(object, "max_memory_clock_mhz", facts.max_memory_clock_mhz);
  put(object, "power_limit_w", facts.power_limit_w);
  if (gpu.state) object["state"] = state_json(*gpu.state);
  return object;
}

json build_json(const BuildInfo& build) {
  json object = json::object();
  put(object, "version", build.version);
  put(object, "revision", build.revision);
  put(object, "compiler", build.compiler);
  put(object, "build_type", build.build_type);
  return object;
}

void add_gpus(Environment& environment) {
  const auto nvml = Nvml::load(&environment.no_gpu_reason);
  if (!nvml) return;
  for (GpuFacts& facts : nvml->gpus()) {
    auto state = nvml->state(facts.index);
    environment.gpus.push_back({std::move(facts), std::move(state)});
  }
  if (environment.gpus.empty()) environment.no_gpu_reason = "the driver shows no GPU";
}

}  // namespace

std::optional<std::string> parse_os_release(std::string_view text) {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  const auto at = text.starts_with(kKey) ? 0 : text.find(std::string("\n").append(kKey));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view value = text.substr(text.find('=', at) + 1);
  value = value.substr(0, value.find('\n'));
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  if (value.empty()) return std::nullopt;
  return std::string(value);
}

std::optional<std::array<double, 3>> parse_load_average(std::string_view text) {
  std::array<double, 3> loads{};
  for (double& load : loads) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto [stop, code] =
        std::from_chars(text.data(), text.data() + text.size(), load, std::chars_format::fixed);
    if (code != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return loads;
}

Environment inspect_environment() {
  Environment environment;
  utsname name{};
  if (::uname(&name) == 0) {
    environment.machine = name.nodename;
    environment.kernel = std::string(name.sysname) + ' ' + name.release;
    environment.architecture = name.machine;
  }
  if (const auto text = read_if_there("/etc/os-release")) {
    environment.os = parse_os_release(*text).value_or("");
  }
  if (const auto text = read_if_there("/proc/loadavg")) {
    environment.load_average = parse_load_average(*text);
  }
  environment.cpu = read_cpu_facts();
  environment.memory = read_host_memory();
  environment.build = build_info();
  add_gpus(environment);
  return environment;
}

nlohmann::json to_json(const Environment& environment) {
  json object;
  put(object, "machine", environment.machine);
  put(object, "os", environment.os);
  put(object, "kernel", environment.kernel);
  put(object, "architecture", environment.architecture);
  object["cpu"] = cpu_json(environment.cpu);
  object["memory"] = {{"total_bytes", whole(environment.memory.total)},
                      {"available_bytes", whole(environment.memory.available)}};
  put(object, "load_average", environment.load_average);
  object["gpus"] = json::array();
  for (const GpuReport& gpu : environment.gpus) object["gpus"].push_back(gpu_json(gpu));
  put(object, "no_gpu_reason", environment.no_gpu_reason);
  object["build"] = build_json(environment.build);
  return object;
}

nlohmann::json read_environment() { return to_json(inspect_environment()); }

}  // namespace ridgeline
