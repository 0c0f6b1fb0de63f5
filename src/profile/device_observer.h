#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/error.h"
#include "profile/observer.h"
#include "profile/records.h"

namespace ridgeline {

struct DeviceObserverOptions {
  FrameHooks hooks{};
  std::size_t most_records = 1 << 20;
};

// What is watched of a device.
enum class DeviceDetail : std::uint8_t {
  Work,   // its work, and the host's calls that asked for it
  Calls,  // those calls alone, which costs little
};

// A call of the host that gave the device work.
struct LaunchCall {
  Nanoseconds start{};
  std::uint64_t what{};         // the kernel's function, or the kind of call
  std::uint32_t correlation{};  // of the work's record
  std::uint32_t frame{};        // open on the calling thread; 0 for none
};

struct ObservedWork {
  std::vector<DeviceRecord> records{};
  std::vector<SyncRecord> syncs{};
  std::vector<LaunchCall> launches{};  // in the order they were made
  std::uint64_t beyond_limit{};        // not among the records
  std::uint64_t dropped{};             // by whoever reports the device's work
};

// Watches the work of a device from when it is made. One at a time. All calls are for between
// steps.
class DeviceObserver {
 public:
  virtual ~DeviceObserver() = default;
  virtual void resume(DeviceDetail detail) = 0;
  virtual void pause() = 0;
  // Pauses, and goes as far away as it can, for steps that are to be as if nobody watched; resume()
  // comes back, which takes milliseconds.
  virtual void withdraw() = 0;
  [[nodiscard]] virtual bool is_away() const = 0;
  virtual void reset() = 0;
  // What was seen since it was made or reset, once the device is done with it; pauses.
  [[nodiscard]] virtual ObservedWork finish() = 0;
};

// The CUDA plugin's entry points. Owned by the caller. Throw Error(Device) saying why the device
// cannot be watched. The second times whole replays of captured graphs and sees nothing else, for
// next to nothing.
using MakeDeviceObserver = DeviceObserver* (*)(const DeviceObserverOptions& options);
inline constexpr const char* kMakeDeviceObserverSymbol = "ridgeline_make_device_observer";
inline constexpr const char* kMakeReplayObserverSymbol = "ridgeline_make_replay_observer";

// Told once, when a device that was watched cannot be any more.
using DeviceLoss = std::function<void(const Error& reason)>;

// Both as one: recordings hold the host's frames and the device's work of the recorded steps. Where
// the device cannot be watched any more, the host's side goes on alone.
[[nodiscard]] std::unique_ptr<OpObserver> watch_both(std::unique_ptr<OpObserver> host,
                                                     std::unique_ptr<DeviceObserver> device,
                                                     DeviceLoss on_loss);

}  // namespace ridgeline
