#include "cli/roofline_counters.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(RooflineCountersTest, CountersAreReadOfAGpusKernelsInEagerModeOnly) {
  const Device gpu{.kind = DeviceKind::Cuda};
  EXPECT_TRUE(counter_obstacle({}));
  EXPECT_TRUE(counter_obstacle({.device = gpu, .mode = Mode::Graph}));
  EXPECT_FALSE(counter_obstacle({.device = gpu}));
}

}  // namespace
}  // namespace ridgeline
