#include "core/nvml.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <nvml.h>
#include <unistd.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

constexpr Bytes kSystemFileLimit{1024.0 * 1024};

using DeviceNumber = nvmlReturn_t (*)(nvmlDevice_t, unsigned*);
using DeviceLongNumber = nvmlReturn_t (*)(nvmlDevice_t, unsigned long long*);
using DeviceText = nvmlReturn_t (*)(nvmlDevice_t, char*, unsigned);
using DeviceClock = nvmlReturn_t (*)(nvmlDevice_t, nvmlClockType_t, unsigned*);
using DeviceProcesses = nvmlReturn_t (*)(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*);

// Old drivers lack functions, old GPUs answer NOT_SUPPORTED: both are absent values.
std::optional<double> ask(DeviceNumber function, nvmlDevice_t device) {
  unsigned value = 0;
  if (function == nullptr || function(device, &value) != NVML_SUCCESS) return std::nullopt;
  return static_cast<double>(value);
}

std::optional<double> ask_clock(DeviceClock function, nvmlDevice_t device, nvmlClockType_t clock) {
  unsigned value = 0;
  if (function == nullptr || function(device, clock, &value) != NVML_SUCCESS) return std::nullopt;
  return static_cast<double>(value);
}

std::string ask_text(DeviceText function, nvmlDevice_t device) {
  std::array<char, NVML_DEVICE_UUID_V2_BUFFER_SIZE> text{};
  if (function == nullptr || function(device, text.data(), text.size() - 1) != NVML_SUCCESS) {
    return {};
  }
  return text.data();
}

std::optional<double> milli(std::optional<double> value) {
  if (value) *value /= 1000;
  return value;
}

// CUDA cores an SM has; NVML tells only their sum. Absent for what came after this was written.
std::optional<int> cores_per_sm(int major, int minor) {
  if (major == 6) return minor == 0 ? 64 : 128;
  if (major == 7) return 64;
  if (major == 8) return minor == 0 ? 64 : 128;
  if (major >= 9 && major <= 12) return 128;
  return std::nullopt;
}

std::optional<std::string> read_proc(long pid, const char* file) {
  try {
    return read_file(fmt::format("/proc/{}/{}", pid, file), kSystemFileLimit);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<long> parent_of(long pid) {
  const auto stat = read_proc(pid, "stat");  // "pid (name) state ppid", the name may hold anything
  const auto end = stat ? stat->rfind(") ") : std::string::npos;
  if (end == std::string::npos || end + 4 >= stat->size()) return std::nullopt;
  long parent = 0;
  const char* begin = stat->data() + end + 4;
  if (std::from_chars(begin, stat->data() + stat->size(), parent).ec != std::errc{}) {
    return std::nullopt;
  }
  return parent;
}

bool is_ours(long pid) {
  constexpr int kDeepest = 64;
  std::optional<long> ancestor = pid;
  for (int depth = 0; ancestor && *ancestor > 1 && depth < kDeepest; ++depth) {
    if (*ancestor == ::getpid()) return true;
    ancestor = parent_of(*ancestor);
  }
  return false;
}

std::optional<std::string> name_of_process(long pid) {
  auto name = read_proc(pid, "comm");
  if (name) name->erase(std::find(name->begin(), name->end(), '\n'), name->end());
  return name;
}

}  // namespace

struct Nvml::Api {
  explicit Api(const Library& library);

  decltype(&nvmlErrorString) error_string;
  decltype(&nvmlInit_v2) init;
  decltype(&nvmlShutdown) shutdown;
  decltype(&nvmlDeviceGetCount_v2) count;
  decltype(&nvmlDeviceGetHandleByIndex_v2) handle;
  decltype(&nvmlSystemGetDriverVersion) driver_version;
  nvmlReturn_t (*cuda_version)(int*);
  decltype(&nvmlDeviceGetMemoryInfo) memory;
  decltype(&nvmlDeviceGetPciInfo_v3) pci;
  decltype(&nvmlDeviceGetCudaComputeCapability) compute;
  decltype(&nvmlDeviceGetUtilizationRates) utilisation;
  nvmlReturn_t (*temperature)(nvmlDevice_t, nvmlTemperatureSensors_t, unsigned*);
  DeviceText name, uuid;
  DeviceNumber cores, power_limit, power;
  DeviceClock clock, max_clock;
  DeviceLongNumber reasons, energy;
  DeviceProcesses compute_processes, graphics_processes;
  bool started = false;

  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;
  ~Api() {
    if (started) shutdown();
  }

  [[nodiscard]] std::optional<nvmlDevice_t> device(int gpu) const {
    nvmlDevice_t found{};
    if (gpu < 0 || handle(static_cast<unsigned>(gpu), &found) != NVML_SUCCESS) return std::nullopt;
    return found;
  }

  void add_foreign(std::vector<GpuProcess>& to, DeviceProcesses list, nvmlDevice_t device) const;
  [[nodiscard]] GpuFacts facts(int gpu, nvmlDevice_t device) const;
};

Nvml::Api::Api(const Library& library) {
  // These every driver of the last decade has; the others may be null.
  error_string = library.symbol<decltype(error_string)>("nvmlErrorString");
  init = library.symbol<decltype(init)>("nvmlInit_v2");
  shutdown = library.symbol<decltype(shutdown)>("nvmlShutdown");
  count = library.symbol<decltype(count)>("nvmlDeviceGetCount_v2");
  handle = library.symbol<decltype(handle)>("nvmlDeviceGetHandleByIndex_v2");
  const auto find = [&](auto& function, const char* symbol) {
    function = library.find_symbol<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(driver_version, "nvmlSystemGetDriverVersion");
  find(cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
  find(memory, "nvmlDeviceGetMemoryInfo");
  find(pci, "nvmlDeviceGetPciInfo_v3");
  find(compute, "nvmlDeviceGetCudaComputeCapability");
  find(utilisation, "nvmlDeviceGetUtilizationRates");
  find(temperature, "nvmlDeviceGetTemperature");
  find(name, "nvmlDeviceGetName");
  find(uuid, "nvmlDeviceGetUUID");
  find(cores, "nvmlDeviceGetNumGpuCores");
  find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  find(power, "nvmlDeviceGetPowerUsage");
  find(clock, "nvmlDeviceGetClockInfo");
  find(max_clock, "nvmlDeviceGetMaxClockInfo");
  find(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (reasons == nullptr) find(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(energy, "nvmlDeviceGetTotalEnergyConsumption");
  find(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  find(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3");
}

GpuFacts Nvml::Api::facts(int gpu, nvmlDevice_t device) const {
  GpuFacts facts{.index = gpu, .name = ask_text(name, device), .uuid = ask_text(uuid, device)};
  nvmlPciInfo_t bus{};
  if (pci != nullptr && pci(device, &bus) == NVML_SUCCESS) facts.pci = bus.busId;
  std::array<char, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE + 1> version{};
  if (driver_version != nullptr &&
      driver_version(version.data(), version.size() - 1) == NVML_SUCCESS) {
    facts.driver = version.data();
  }
  int cuda = 0;
  if (cuda_version != nullptr && cuda_version(&cuda) == NVML_SUCCESS) {
    facts.cuda_driver = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
  }
  nvmlMemory_t sizes{};
  if (memory != nullptr && memory(device, &sizes) == NVML_SUCCESS) {
    facts.memory_total = {static_cast<double>(sizes.total)};
    facts.memory_free = {static_cast<double>(sizes.free)};
  }
  int major = 0;
  int minor = 0;
  if (compute != nullptr && compute(device, &major, &minor) == NVML_SUCCESS) {
    facts.compute_major = major;
    facts.compute_minor = minor;
    const auto all = ask(cores, device);
    const auto each = cores_per_sm(major, minor);
    if (all && each) facts.sm_count = static_cast<int>(*all) / *each;
  }
  facts.max_sm_clock_mhz = ask_clock(max_clock, device, NVML_CLOCK_SM);
  facts.max_memory_clock_mhz = ask_clock(max_clock, device, NVML_CLOCK_MEM);
  facts.power_limit_w = milli(ask(power_limit, device));
  return facts;
}

void Nvml::Api::add_foreign(std::vector<GpuProcess>& to, DeviceProcesses list,
                            nvmlDevice_t device) const {
  if (list == nullptr) return;
  std::array<nvmlProcessInfo_t, 256> found{};
  auto size = static_cast<unsigned>(found.size());
  if (list(device, &size, found.data()) != NVML_SUCCESS) return;
  for (unsigned i = 0; i < std::min<unsigned>(size, found.size()); ++i) {
    const auto pid = static_cast<long>(found[i].pid);
    if (is_ours(pid) || std::ranges::find(to, pid, &GpuProcess::pid) != to.end()) continue;
    GpuProcess process{.pid = pid, .name = name_of_process(pid), .memory = {}};
    if (found[i].usedGpuMemory != static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE)) {
      process.memory = Bytes{static_cast<double>(found[i].usedGpuMemory)};
    }
    to.push_back(std::move(process));
  }
}

std::optional<Nvml> Nvml::load(std::string* why_not) {
  const auto refuse = [&](std::string reason) {
    if (why_not != nullptr) *why_not = std::move(reason);
    return std::nullopt;
  };
  try {
    const auto api = std::make_shared<Api>(Library::open("libnvidia-ml.so.1"));
    if (const nvmlReturn_t code = api->init(); code != NVML_SUCCESS) {
      return refuse(fmt::format("NVML does not start: {}", api->error_string(code)));
    }
    api->started = true;
    return Nvml(api);
  } catch (const Error& error) {
    return refuse(fmt::format("no NVIDIA driver: {}", error.what()));
  }
}

std::vector<GpuFacts> Nvml::gpus() const {
  unsigned count = 0;
  std::vector<GpuFacts> all;
  if (api_->count(&count) != NVML_SUCCESS) return all;
  for (int gpu = 0; gpu < static_cast<int>(count); ++gpu) {
    if (const auto device = api_->device(gpu)) all.push_back(api_->facts(gpu, *device));
  }
  return all;
}

std::optional<GpuState> Nvml::state(int gpu) const {
  auto state = activity(gpu);
  const auto device = api_->device(gpu);
  if (!state || !device) return std::nullopt;
  api_->add_foreign(state->foreign_processes, api_->compute_processes, *device);
  api_->add_foreign(state->foreign_processes, api_->graphics_processes, *device);
  return state;
}

std::optional<GpuState> Nvml::activity(int gpu) const {
  const auto device = api_->device(gpu);
  if (!device) return std::nullopt;
  GpuState state;
  state.sm_clock_mhz = ask_clock(api_->clock, *device, NVML_CLOCK_SM);
  state.memory_clock_mhz = ask_clock(api_->clock, *device, NVML_CLOCK_MEM);
  unsigned degrees = 0;
  if (api_->temperature != nullptr &&
      api_->temperature(*device, NVML_TEMPERATURE_GPU, &degrees) == NVML_SUCCESS) {
    state.temperature_c = degrees;
  }
  state.power_w = milli(ask(api_->power, *device));
  nvmlUtilization_t busy{};
  if (api_->utilisation != nullptr && api_->utilisation(*device, &busy) == NVML_SUCCESS) {
    state.gpu_busy_percent = busy.gpu;
    state.memory_busy_percent = busy.memory;
  }
  unsigned long long mask = 0;
  if (api_->reasons != nullptr && api_->reasons(*device, &mask) == NVML_SUCCESS) {
    state.throttle_reasons = throttle_words(mask);
  }
  return state;
}

std::optional<double> Nvml::energy_joules(int gpu) const {
  const auto device = api_->device(gpu);
  unsigned long long millijoules = 0;
  if (!device || api_->energy == nullptr || api_->energy(*device, &millijoules) != NVML_SUCCESS) {
    return std::nullopt;
  }
  return static_cast<double>(millijoules) / 1000;
}

}  // namespace ridgeline
