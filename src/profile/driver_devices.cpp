#include "profile/driver_devices.h"

#include <array>
#include <cstddef>
#include <optional>

#include "core/error.h"
#include "core/library.h"

namespace ridgeline {
namespace {

// Of cuda.h: its header would make the build need a toolkit.
constexpr int kSuccess = 0;
constexpr int kMultiprocessorCount = 16;
constexpr int kComputeMajor = 75;
constexpr int kComputeMinor = 76;
using DeviceHandle = int;

class Driver {
 public:
  explicit Driver(const Library& library)
      : get_(library.symbol<decltype(get_)>("cuDeviceGet")),
        name_(library.symbol<decltype(name_)>("cuDeviceGetName")),
        memory_(library.symbol<decltype(memory_)>("cuDeviceTotalMem_v2")),
        attribute_(library.symbol<decltype(attribute_)>("cuDeviceGetAttribute")) {}

  [[nodiscard]] std::optional<TraceDevice> describe(std::uint32_t number) const {
    TraceDevice device{.id = number};
    DeviceHandle handle = 0;
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    const bool known =
        get_(&handle, static_cast<int>(number)) == kSuccess &&
        name_(name.data(), static_cast<int>(name.size()) - 1, handle) == kSuccess &&
        memory_(&bytes, handle) == kSuccess &&
        attribute_(&device.compute_major, kComputeMajor, handle) == kSuccess &&
        attribute_(&device.compute_minor, kComputeMinor, handle) == kSuccess &&
        attribute_(&device.multiprocessors, kMultiprocessorCount, handle) == kSuccess;
    if (!known) return std::nullopt;
    device.name = name.data();
    device.total_memory = static_cast<double>(bytes);
    return device;
  }

 private:
  int (*get_)(DeviceHandle*, int);
  int (*name_)(char*, int, DeviceHandle);
  int (*memory_)(std::size_t*, DeviceHandle);
  int (*attribute_)(int*, int, DeviceHandle);
};

}  // namespace

std::vector<TraceDevice> driver_devices(const std::set<std::uint32_t>& numbers,
                                        const std::filesystem::path& driver) {
  std::vector<TraceDevice> devices;
  if (numbers.empty()) return devices;
  try {
    const Driver asked(Library::open(driver));
    for (const std::uint32_t number : numbers) {
      if (auto device = asked.describe(number)) devices.push_back(std::move(*device));
    }
  } catch (const Error&) {
    devices.clear();  // a profile without them is a profile
  }
  return devices;
}

}  // namespace ridgeline
