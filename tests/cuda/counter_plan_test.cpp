#include "cuda/counter_plan.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "roofline/counters.h"
#include "roofline/ncu_command.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What a plan for the chip counts, and by which compute capability a file of ncu names it.
struct Chip {
  const char* name;
  ComputeCapability capability;
};
constexpr std::array kChips{
    Chip{"TU104", {.major = 7, .minor = 5}},  Chip{"GA100", {.major = 8, .minor = 0}},
    Chip{"GA102", {.major = 8, .minor = 6}},  Chip{"AD102", {.major = 8, .minor = 9}},
    Chip{"AD104", {.major = 8, .minor = 9}},  Chip{"GH100", {.major = 9, .minor = 0}},
    Chip{"GB100", {.major = 10, .minor = 0}}, Chip{"GB202", {.major = 12, .minor = 0}}};

// One launch that counted one of everything that the chip has.
CountedKernel of_ones(const CounterPlan& plan) {
  const std::vector<double> ones(plan.metrics().size(), 1);
  return counted_kernel("k", plan.metrics(), ones);
}

TEST(CounterPlanTest, TheCountersOfARooflineFitIntoAFewPassesOfAnH200) {
  const CounterPlan plan("GH100", roofline_counters());
  EXPECT_THAT(not_counted(plan.unsupported()), IsEmpty());
  EXPECT_GE(plan.passes(), 2);
  EXPECT_LE(plan.passes(), 12);
  EXPECT_FALSE(plan.config().empty());
}

TEST(CounterPlanTest, EveryChipCountsDramAndWhatItsTensorCoresCompute) {
  for (const Chip& chip : kChips) {
    const CounterPlan plan(chip.name, roofline_counters());
    const CountedKernel kernel = of_ones(plan);
    EXPECT_TRUE(kernel.bytes[index_of(MemoryLevel::Dram)]) << chip.name;
    EXPECT_TRUE(kernel.flop[index_of(ComputePath::TensorFp16)]) << chip.name;
    const bool since_ampere = chip.capability.major >= 8;
    for (const ComputePath path : {ComputePath::TensorBf16, ComputePath::TensorTf32})
      EXPECT_EQ(kernel.flop[index_of(path)].has_value(), since_ampere) << chip.name;
    const bool has_fp8 = chip.capability.major >= 9 || chip.capability.minor == 9;
    EXPECT_EQ(kernel.flop[index_of(ComputePath::TensorFp8)].has_value(), has_fp8) << chip.name;
  }
}

TEST(CounterPlanTest, TheCommandForAFileOfNcuNamesWhatItsChipHas) {
  for (const Chip& chip : kChips) {
    std::vector<std::string> names;
    for (const std::string_view name : tensor_counters(chip.capability)) names.emplace_back(name);
    const CounterPlan plan(chip.name, names);
    EXPECT_THAT(plan.unsupported(), IsEmpty()) << chip.name;
  }
}

TEST(CounterPlanTest, OneCounterNeedsOnePass) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum"};
  EXPECT_EQ(CounterPlan("GH100", metrics).passes(), 1);
}

TEST(CounterPlanTest, CountersThatAChipHasNotAreListedAndTheOthersPlanned) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum", "dram__bytes_of_no_chip.sum"};
  const CounterPlan plan("GH100", metrics);
  EXPECT_THAT(plan.metrics(), ElementsAre("dram__bytes_read.sum"));
  EXPECT_THAT(plan.unsupported(), ElementsAre("dram__bytes_of_no_chip.sum"));
}

TEST(CounterPlanTest, AnUnknownChipIsRefusedByName) {
  const std::vector<std::string> metrics{"dram__bytes_read.sum"};
  try {
    const CounterPlan plan("XY999", metrics);
    FAIL() << "planned for a chip that does not exist";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("XY999"));
  }
}

}  // namespace
}  // namespace ridgeline
