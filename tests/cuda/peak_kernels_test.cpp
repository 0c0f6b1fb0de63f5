#include "cuda/kernels/peak_kernels.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "cuda/device_buffer.h"

namespace ridgeline::kernels {
namespace {

class PeakKernelsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_cuda_device()) GTEST_SKIP() << "no CUDA device";
  }
};

std::vector<float> run_fma(FmaFormat format, int rounds) {
  constexpr int kBlocks = 3;
  const DeviceBuffer out(kBlocks * kFmaThreads * sizeof(float));
  check(launch_fma({.format = format, .blocks = kBlocks, .rounds = rounds, .out = out.as<float>()},
                   nullptr));
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(out.guards_intact());
  return out.read<float>();
}

TEST_F(PeakKernelsTest, ChainsOfFp32AreThoseOfTheHostToTheLastBit) {
  float expected = 0;
  for (int i = 0; i < kFmaChains; ++i) {
    float v = 1.F + static_cast<float>(i) / 64.F;
    for (int round = 0; round < kFmaRoundsAtOnce; ++round) v = std::fmaf(v, 0.75F, 0.3F);
    expected += v;
  }
  for (const float sum : run_fma(FmaFormat::Fp32, kFmaRoundsAtOnce)) ASSERT_EQ(sum, expected);
}

TEST_F(PeakKernelsTest, EveryFormatTendsToItsFixedPoint) {
  struct Case {
    FmaFormat format;
    double values;  // in a chain
    double tolerated;
  };
  for (const Case& one : {Case{FmaFormat::Fp32, 1, 1e-6}, Case{FmaFormat::Fp64, 1, 1e-6},
                          Case{FmaFormat::Fp16x2, 2, 5e-3}, Case{FmaFormat::Bf16x2, 2, 4e-2}}) {
    const double expected = kFmaChains * one.values * 0.3 / (1 - 0.75);
    for (const float sum : run_fma(one.format, 256))
      ASSERT_NEAR(sum / expected, 1, one.tolerated) << static_cast<int>(one.format);
  }
}

TEST_F(PeakKernelsTest, RoundsThatAreNotWholeAreRefused) {
  const DeviceBuffer out(kFmaThreads * sizeof(float));
  EXPECT_EQ(launch_fma({.blocks = 1, .rounds = 1, .out = out.as<float>()}, nullptr),
            cudaErrorInvalidValue);
}

TEST_F(PeakKernelsTest, ReadingSeesEveryWordOnceAPass) {
  constexpr int kBlocks = 2;
  // Whole rounds of four loads for each thread, and some words more.
  constexpr std::size_t kWords = 4 * kBlocks * kReadThreads + 77;
  std::mt19937 random(1);
  std::vector<std::uint32_t> parts(4 * kWords);
  for (std::uint32_t& part : parts) part = static_cast<std::uint32_t>(random());
  const DeviceBuffer data(parts);
  const std::uint32_t once = std::accumulate(parts.begin(), parts.end(), 0U);
  for (const int passes : {1, 3}) {
    const DeviceBuffer out(kBlocks * kReadThreads * sizeof(std::uint32_t));
    check(launch_read({.data = data.as<uint4>(),
                       .words = kWords,
                       .passes = passes,
                       .blocks = kBlocks,
                       .out = out.as<std::uint32_t>()},
                      nullptr));
    const auto sums = out.read<std::uint32_t>();
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0U),
              static_cast<std::uint32_t>(passes) * once);
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST_F(PeakKernelsTest, ACopyIsWholeAndNoLonger) {
  constexpr std::size_t kWords = 4 * 2 * kReadThreads + 77;
  std::vector<std::uint32_t> parts(4 * kWords);
  std::iota(parts.begin(), parts.end(), 1U);
  const DeviceBuffer from(parts);
  const DeviceBuffer to(parts.size() * sizeof(std::uint32_t));
  check(launch_copy(to.as<uint4>(), from.as<uint4>(), kWords, 2, nullptr));
  EXPECT_EQ(to.read<std::uint32_t>(), parts);
  EXPECT_TRUE(to.guards_intact());
}

TEST_F(PeakKernelsTest, SharedMemoryIsReadAsOftenAsItIsAsked) {
  constexpr int kLoads = 16;
  const DeviceBuffer out(kSharedThreads * sizeof(std::uint32_t));
  check(
      launch_shared_read({.loads = kLoads, .blocks = 1, .out = out.as<std::uint32_t>()}, nullptr));
  const auto sums = out.read<std::uint32_t>();
  for (std::uint32_t thread = 0; thread < kSharedThreads; ++thread) {
    std::uint32_t expected = 0;
    for (std::uint32_t load = 0; load < kLoads; ++load) {
      const std::uint32_t word = (thread + 32 * load) % kSharedWords;
      expected += 16 * word + 6;  // 4 w + (4 w + 1) + (4 w + 2) + (4 w + 3)
    }
    ASSERT_EQ(sums[thread], expected) << thread;
  }
}

TEST_F(PeakKernelsTest, RandomNumbersAreNearNormalAndTheSameForASeed) {
  constexpr std::size_t kCount = 100'000;
  const auto fill = [&](std::uint64_t seed) {
    const DeviceBuffer data(kCount * sizeof(float));
    check(launch_fill(FillFormat::Fp32, data.data(), kCount, seed, nullptr));
    EXPECT_TRUE(data.guards_intact());
    return data.read<float>();
  };
  const auto values = fill(1);
  EXPECT_EQ(fill(1), values);
  EXPECT_NE(fill(2), values);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST_F(PeakKernelsTest, EveryFormatIsFilledToItsEndAndNoFurther) {
  constexpr std::size_t kCount = 1001;
  for (const auto& [format, bytes] :
       {std::pair{FillFormat::Fp64, 8}, std::pair{FillFormat::Fp32, 4},
        std::pair{FillFormat::Fp16, 2}, std::pair{FillFormat::Bf16, 2},
        std::pair{FillFormat::Fp8, 1}, std::pair{FillFormat::Int8, 1}}) {
    const DeviceBuffer data(kCount * static_cast<std::size_t>(bytes));
    check(launch_fill(format, data.data(), kCount, 1, nullptr));
    check(cudaDeviceSynchronize());
    EXPECT_TRUE(data.guards_intact()) << bytes;
  }
}

}  // namespace
}  // namespace ridgeline::kernels
