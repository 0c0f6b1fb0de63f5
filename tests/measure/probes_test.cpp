#include "measure/probes.h"

#include <gtest/gtest.h>

#include "core/cpu.h"
#include "stats/order_interval.h"

namespace ridgeline {
namespace {

TEST(ProbesTest, AProductIsEmulatedWhereTheCpuHasNoArithmeticForIt) {
  const CpuFacts cpu = read_cpu_facts();
  EXPECT_FALSE(is_emulated("fp32"));
  EXPECT_EQ(is_emulated("bf16"), !computes_in_bf16(cpu));
  EXPECT_EQ(is_emulated("fp16"), !computes_in_fp16(cpu));
  EXPECT_FALSE(is_emulated("fp32 AVX2"));
}

TEST(ProbesTest, EveryDeviceIsSampledOftenEnoughForAnInterval) {
  for (const DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda})
    EXPECT_GE(rounds_for(kind).rounds, samples_for_interval({})) << name_of(kind);
}

}  // namespace
}  // namespace ridgeline
