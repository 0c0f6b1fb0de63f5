// Stands in for the CUDA driver: device 1 is an H100-like GPU, there is no other.
#include <cstddef>
#include <cstring>

extern "C" {

int cuDeviceGet(int* device, int ordinal) {
  *device = 100 + ordinal;
  return ordinal == 1 ? 0 : 101;
}
int cuDeviceGetName(char* name, int length, int device) {
  std::strncpy(name, "Fake H100", static_cast<std::size_t>(length));
  return device == 101 ? 0 : 101;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int /*device*/) {
  *bytes = std::size_t{80} << 30;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  *value = attribute == 16 ? 132 : attribute == 75 ? 9 : 0;
  return 0;
}
}
