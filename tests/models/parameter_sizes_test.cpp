#include "models/parameter_sizes.h"

#include <gtest/gtest.h>

#include "models/catalog.h"

namespace ridgeline {
namespace {

TEST(ParameterSizesTest, TheyAddUpToWhatTheModelCounts) {
  for (const auto name :
       {"resnet18", "resnet34", "resnet50", "resnet20", "transformer", "tiny-llama", "attention"}) {
    const auto spec = find_model(name);
    ASSERT_TRUE(spec) << name;
    std::int64_t sum = 0;
    for (const ParameterSize& parameter : parameter_sizes(*spec)) sum += parameter.count;
    EXPECT_EQ(sum, parameter_count(*spec)) << name;
  }
}

TEST(ParameterSizesTest, OfAFilesModelNothingIsKnown) {
  EXPECT_TRUE(parameter_sizes(FileSpec{.label = "m", .path = "m.pt", .inputs = {}}).empty());
}

}  // namespace
}  // namespace ridgeline
