#include "roofline/cpu_kernels.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "roofline/cpu_probes.h"
#include "roofline/working_set.h"
#include "stats/random.h"

namespace ridgeline {
namespace {

template <class Number>
void expect_chains(const char* name, std::size_t chains,
                   void (*run)(Number*, Number, Number, std::uint64_t)) {
  ASSERT_GE(chains, 10U) << name << " could not fill two units of latency five";
  ASSERT_LE(chains, kMostChains);
  std::array<Number, kMostChains> values{};
  for (std::size_t i = 0; i < chains; ++i)
    values[i] = Number(1) + static_cast<Number>(i) / Number(64);
  auto expected = values;
  const Number factor = Number(0.75);
  const Number addend = Number(0.3);
  run(values.data(), factor, addend, 7);
  for (std::size_t i = 0; i < chains; ++i) {
    for (int round = 0; round < 7; ++round) expected[i] = std::fma(expected[i], factor, addend);
    EXPECT_EQ(values[i], expected[i]) << name << ", chain " << i;
  }
  for (std::size_t i = chains; i < kMostChains; ++i) EXPECT_EQ(values[i], Number(0)) << name;
}

TEST(CpuKernelsTest, EveryChainIsThatOfAScalarFmaToTheLastBit) {
  for (const CpuKernels* const kernels : usable_cpu_kernels()) {
    expect_chains<float>(kernels->name, kernels->chains32, kernels->fma32);
    expect_chains<double>(kernels->name, kernels->chains64, kernels->fma64);
  }
}

struct Words {
  std::shared_ptr<std::byte> memory = allocate_set(4 * kReadBlock);
  std::uint64_t sum = 0;
  Words() {
    Random random(7);
    for (std::size_t at = 0; at < 4 * kReadBlock; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = random.next();
      std::memcpy(memory.get() + at, &word, sizeof word);
      sum += word;
    }
  }
};

TEST(CpuKernelsTest, ReadingSeesEveryWordOnceAPass) {
  const Words words;
  for (const CpuKernels* const kernels : usable_cpu_kernels()) {
    EXPECT_EQ(kernels->sum_words(words.memory.get(), 4 * kReadBlock, 1), words.sum)
        << kernels->name;
    EXPECT_EQ(kernels->sum_words(words.memory.get(), 4 * kReadBlock, 3), 3 * words.sum)
        << kernels->name;
    EXPECT_EQ(kernels->sum_words(words.memory.get(), 4 * kReadBlock, 0), 0U) << kernels->name;
  }
}

TEST(CpuKernelsTest, ACopyIsWholeAndNoLonger) {
  const Words words;
  for (const CpuKernels* const kernels : usable_cpu_kernels()) {
    const auto to = allocate_set(5 * kReadBlock);
    std::memset(to.get(), 0x5a, 5 * kReadBlock);
    kernels->stream_copy(to.get(), words.memory.get(), 4 * kReadBlock);
    EXPECT_EQ(std::memcmp(to.get(), words.memory.get(), 4 * kReadBlock), 0) << kernels->name;
    for (std::size_t i = 4 * kReadBlock; i < 5 * kReadBlock; ++i)
      ASSERT_EQ(to.get()[i], std::byte{0x5a}) << kernels->name;
  }
}

}  // namespace
}  // namespace ridgeline
