// Stands in for the driver's library: one H100-like GPU with known answers, a second one that
// supports nothing.
#include <cstring>

#include <nvml.h>
#include <unistd.h>

namespace {

nvmlDevice_t fake_device(std::size_t number) { return reinterpret_cast<nvmlDevice_t>(number); }
bool is_first(nvmlDevice_t device) { return device == fake_device(1); }

template <class T>
nvmlReturn_t answer(nvmlDevice_t device, T* place, T value) {
  if (!is_first(device)) return NVML_ERROR_NOT_SUPPORTED;
  *place = value;
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

const char* nvmlErrorString(nvmlReturn_t) { return "fake error"; }
nvmlReturn_t nvmlInit_v2() { return NVML_SUCCESS; }
nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  if (index > 1) return NVML_ERROR_INVALID_ARGUMENT;
  *device = fake_device(index + 1);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::strncpy(text, "580.65.06", length);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13020;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  std::strncpy(name, is_first(device) ? "Fake H100" : "Fake other", length);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  if (!is_first(device)) return NVML_ERROR_NOT_SUPPORTED;
  *memory = {80ULL << 30, 70ULL << 30, 10ULL << 30};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  *minor = 0;
  return answer(device, major, 9);
}
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned* cores) {
  return answer(device, cores, 16896U);
}
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned* clock) {
  return answer(device, clock, type == NVML_CLOCK_SM ? 1755U : 2619U);
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  return answer(device, milliwatts, 312500U);
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* rates) {
  return answer(device, rates, nvmlUtilization_t{73, 41});
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                       unsigned long long* reasons) {
  return answer(device, reasons, 4ULL);
}
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
                                                 unsigned long long* millijoules) {
  return answer(device, millijoules, 123456ULL);
}
// Ourselves, the process that started us, and one that no /proc shows.
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  if (!is_first(device)) return NVML_ERROR_NOT_SUPPORTED;
  if (*count < 3) return NVML_ERROR_INSUFFICIENT_SIZE;
  *count = 3;
  infos[0] = {static_cast<unsigned>(::getpid()), 1000, 0, 0};
  infos[1] = {static_cast<unsigned>(::getppid()), 2000, 0, 0};
  infos[2] = {0x7ffffff0U, static_cast<unsigned long long>(NVML_VALUE_NOT_AVAILABLE), 0, 0};
  return NVML_SUCCESS;
}
}
