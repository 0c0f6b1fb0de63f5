#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/backend.h"
#include "engine/peaks.h"
#include "profile/device_counters.h"
#include "profile/device_observer.h"

namespace ridgeline {

// The CUDA plugin beside the test program, loaded once and before anything asks torch about CUDA.
struct Plugin {
  Backend* backend = nullptr;  // null: `obstacle` says why
  MakeDeviceObserver make_device_observer = nullptr;
  MakeDeviceObserver make_replay_observer = nullptr;
  MakeDeviceCounters make_device_counters = nullptr;
  AddCudaProbes add_peak_probes = nullptr;
  std::string obstacle{};
};
[[nodiscard]] const Plugin& plugin();

// Enters device 0, or skips.
class PluginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (plugin().backend == nullptr) GTEST_SKIP() << plugin().obstacle;
    if (backend().device_count() == 0) GTEST_SKIP() << "no CUDA device";
    scope_ = backend().enter(0);
  }
  [[nodiscard]] static Backend& backend() { return *plugin().backend; }

 private:
  std::unique_ptr<DeviceScope> scope_;
};

}  // namespace ridgeline
