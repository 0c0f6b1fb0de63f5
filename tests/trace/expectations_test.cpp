#include "trace/expectations.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ExpectationsTest, EachStandsBesideWhatWasMeasured) {
  ProfileFacts facts{.on_gpu = true, .steps = 1, .step = Seconds{0.1}};
  facts.samples_per_s = 120;
  facts.busy = 0.7;
  facts.memory = MemoryFacts{.peak = Bytes{1.5e9}};
  const auto rows = tiny_llama_expectations(facts);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].measured, "120.0 samples/s");
  EXPECT_EQ(rows[0].verdict, "above");
  EXPECT_EQ(rows[1].expected, "60 to 75 %");
  EXPECT_EQ(rows[1].verdict, "as expected");
  EXPECT_EQ(rows[2].verdict, "below");
  EXPECT_EQ(rows[2].what, "peak memory allocated");
  EXPECT_EQ(rows[3].measured, "not recorded");
  EXPECT_EQ(rows[3].verdict, "");
  EXPECT_EQ(rows[4].measured, "not recorded");
  facts.modules = ModuleShares{.attention = 0.4};
  EXPECT_EQ(tiny_llama_expectations(facts)[4].verdict, "as expected");
  facts.memory->of_process = true;
  EXPECT_EQ(tiny_llama_expectations(facts)[2].what, "peak memory of the process");
}

}  // namespace
}  // namespace ridgeline
