#include "measure/probes.h"

#include <gtest/gtest.h>

#include "core/cpu.h"
#include "stats/order_interval.h"

namespace ridgeline {
namespace {

TEST(ProbesTest, ThreadsAreThoseAskedForOrAllCores) {
  RunSettings settings;
  settings.threads = 3;
  EXPECT_EQ(probe_threads(settings), 3);
  settings.threads = 0;
  EXPECT_EQ(probe_threads(settings), static_cast<int>(cores_apart().size()));
}

TEST(ProbesTest, EveryDeviceIsSampledOftenEnoughForAnInterval) {
  for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda})
    EXPECT_GE(rounds_for(kind).rounds, samples_for_interval({})) << name_of(kind);
}

}  // namespace
}  // namespace ridgeline
