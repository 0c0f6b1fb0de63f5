#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/catalog.h"
#include "models/limits.h"

namespace ridgeline {
namespace {

std::string complaint(const ModelSpec& spec) {
  try {
    validate(spec);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    return error.what();
  }
  return {};
}

TransformerSpec tiny() {
  return {.label = "t",
          .vocab_size = 10,
          .d_model = 8,
          .d_ff = 16,
          .num_layers = 1,
          .num_heads = 2,
          .num_kv_heads = 1,
          .context_length = 4,
          .batch_size = 1};
}

TEST(ValidateTest, SoundSpecPasses) { EXPECT_EQ(complaint(tiny()), ""); }

TEST(ValidateTest, WidthMustBeAMultipleOfTheHeads) {
  TransformerSpec spec = tiny();
  spec.num_heads = 3;
  EXPECT_THAT(complaint(spec), testing::HasSubstr("8 is not a multiple of 3 heads"));
}

TEST(ValidateTest, KeyValueHeadsMustDivideTheHeads) {
  TransformerSpec spec = tiny();
  spec.num_heads = 4;
  spec.num_kv_heads = 3;
  EXPECT_THAT(complaint(spec), testing::HasSubstr("3 key-value heads"));
}

TEST(ValidateTest, HeadWidthMustBeEven) {
  TransformerSpec spec = tiny();
  spec.d_model = 6;
  EXPECT_THAT(complaint(spec), testing::HasSubstr("even head width, not 3"));
}

TEST(ValidateTest, EveryTransformerDimensionMustBePositive) {
  for (const auto member :
       {&TransformerSpec::vocab_size, &TransformerSpec::d_model, &TransformerSpec::d_ff,
        &TransformerSpec::num_layers, &TransformerSpec::num_heads, &TransformerSpec::num_kv_heads,
        &TransformerSpec::context_length, &TransformerSpec::batch_size}) {
    for (const long bad : {0L, -1L}) {
      TransformerSpec spec = tiny();
      spec.*member = bad;
      EXPECT_THAT(complaint(spec), testing::HasSubstr("must be positive"));
    }
  }
}

TEST(ValidateTest, DimensionsThatWouldOverflowACountAreRefused) {
  for (const auto member :
       {&TransformerSpec::vocab_size, &TransformerSpec::d_model, &TransformerSpec::d_ff,
        &TransformerSpec::num_layers, &TransformerSpec::num_heads, &TransformerSpec::num_kv_heads,
        &TransformerSpec::context_length, &TransformerSpec::batch_size}) {
    TransformerSpec spec = tiny();
    spec.*member = std::numeric_limits<long>::max();
    EXPECT_THAT(complaint(spec), testing::HasSubstr("is above"));
  }
  EXPECT_THAT(complaint(ResNetSpec{.label = "r", .image_size = 1'000'001}),
              testing::HasSubstr("image size 1000001 is above 1000000"));
}

TEST(ValidateTest, TheLargestTransformerThatIsTakenCanBeCounted) {
  TransformerSpec spec = tiny();
  spec.vocab_size = kMostWords;
  spec.d_model = spec.d_ff = kLargestWidth;
  spec.num_layers = kMostLayers;
  spec.num_heads = spec.num_kv_heads = 2;
  spec.context_length = spec.batch_size = kLongestBatch;
  EXPECT_EQ(complaint(spec), "");
  EXPECT_GT(parameter_count(spec).value_or(0), 7e18);
  EXPECT_TRUE(std::isfinite(memory_need(spec, {}).value().peak.count));
}

TEST(ValidateTest, ACountBeyondAWholeNumberIsAbsent) {
  const AttentionSpec vast{
      .batch_size = kLongestBatch, .num_heads = kLargestWidth, .context_length = kLongestBatch};
  EXPECT_EQ(complaint(vast), "");
  EXPECT_FALSE(parameter_count(vast));
}

TEST(ValidateTest, ResNetDepthsAreChecked) {
  EXPECT_THAT(complaint(ResNetSpec{.label = "r", .depth = 19}),
              testing::HasSubstr("18, 34 and 50"));
  EXPECT_THAT(complaint(ResNetSpec{.label = "r",
                                   .family = ResNetSpec::Family::CifarOptionA,
                                   .depth = 21,
                                   .stem = ResNetSpec::Stem::Cifar}),
              testing::HasSubstr("6n + 2"));
  EXPECT_THAT(
      complaint(ResNetSpec{.label = "r", .family = ResNetSpec::Family::CifarOptionA, .depth = 20}),
      testing::HasSubstr("CIFAR stem"));
}

TEST(ValidateTest, AttentionDimensionsMustBePositive) {
  EXPECT_THAT(complaint(AttentionSpec{.context_length = 0}), testing::HasSubstr("context length"));
}

TEST(ValidateTest, AFileNeedsInputs) {
  EXPECT_THAT(complaint(FileSpec{.label = "m", .path = "m.pt", .inputs = {}}),
              testing::HasSubstr("--input"));
  EXPECT_THAT(complaint(FileSpec{.label = "m", .path = "", .inputs = {}}),
              testing::HasSubstr("path"));
}

}  // namespace
}  // namespace ridgeline
