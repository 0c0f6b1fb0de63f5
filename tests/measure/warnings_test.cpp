#include "measure/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CpuFacts cpu_with(std::vector<std::string> isa) {
  CpuFacts cpu;
  cpu.isa = std::move(isa);
  return cpu;
}

TEST(CpuPrecisionWarningTest, Fp32IsNeverWarnedAbout) {
  EXPECT_FALSE(cpu_precision_warning(Precision::Fp32, cpu_with({})));
}

TEST(CpuPrecisionWarningTest, Tf32IsSaidToBeFp32) {
  EXPECT_THAT(cpu_precision_warning(Precision::Tf32, cpu_with({"amx_bf16"})).value_or(""),
              HasSubstr("ran in fp32"));
}

TEST(CpuPrecisionWarningTest, Bf16IsWarnedAboutUnlessTheCpuHasIt) {
  for (const Precision precision : {Precision::Bf16, Precision::Bf16Pure}) {
    EXPECT_THAT(cpu_precision_warning(precision, cpu_with({"avx2", "avx512f"})).value_or(""),
                HasSubstr("slower"));
    EXPECT_FALSE(cpu_precision_warning(precision, cpu_with({"avx512_bf16"})));
    EXPECT_FALSE(cpu_precision_warning(precision, cpu_with({"amx_bf16"})));
  }
}

TEST(CpuPrecisionWarningTest, Fp16NeedsItsOwnExtension) {
  EXPECT_THAT(cpu_precision_warning(Precision::Fp16, cpu_with({"avx512_bf16"})).value_or(""),
              HasSubstr("fp16"));
  EXPECT_FALSE(cpu_precision_warning(Precision::Fp16, cpu_with({"avx512_fp16"})));
}

TEST(GpuWarningsTest, AQuietGpuHasNone) { EXPECT_THAT(gpu_warnings({}), IsEmpty()); }

TEST(GpuWarningsTest, LoweredClocksAndNeighboursAreNamed) {
  GpuState state;
  state.throttle_reasons = {"power cap", "heat"};
  state.foreign_processes = {{.pid = 7, .name = "python3"}, {.pid = 8}};
  EXPECT_THAT(gpu_warnings(state),
              ElementsAre(HasSubstr("power cap, heat"), HasSubstr("python3 (pid 7)"),
                          HasSubstr("unknown (pid 8)")));
}

}  // namespace
}  // namespace ridgeline
