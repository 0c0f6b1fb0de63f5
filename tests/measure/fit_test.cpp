#include "measure/fit.h"

#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/format.h"

namespace ridgeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kGiB = 1024.0 * 1024 * 1024;

TransformerSpec small(long batch, long context) {
  return {.label = "small", .context_length = context, .batch_size = batch};
}

// What the model needs in all, as `fits` counts it.
Bytes need_of(const ModelSpec& model) {
  return memory_need(model, {}).value().peak + kProcessOverhead;
}

TEST(FitsTest, AModelFitsInExactlyWhatItNeedsAndNotInLess) {
  const Bytes need = need_of(small(4, 256));
  EXPECT_TRUE(fits(small(4, 256), {}, need));
  EXPECT_FALSE(fits(small(4, 256), {}, Bytes{need.count - 1}));
}

TEST(FitsTest, WhatCannotBePredictedIsTried) {
  EXPECT_TRUE(fits(FileSpec{.label = "m.pt", .path = "m.pt", .inputs = {}}, {}, Bytes{0}));
}

TEST(LargestThatFitsTest, TheBatchNamedFitsAndTheNextDoesNot) {
  for (const double room : {4.0, 6.0, 9.5, 17.0}) {
    const Bytes available{room * kGiB};
    const std::string said = largest_that_fits(small(512, 256), {}, available);
    std::smatch match;
    ASSERT_TRUE(
        std::regex_match(said, match, std::regex("batch ([0-9]+) at context 256 would fit")))
        << said;
    const long batch = std::stol(match[1]);
    EXPECT_TRUE(fits(small(batch, 256), {}, available)) << said;
    EXPECT_FALSE(fits(small(batch + 1, 256), {}, available)) << said;
  }
}

TEST(LargestThatFitsTest, WhenNoBatchFitsAShorterContextIsNamed) {
  const Bytes available{need_of(small(1, 1000)).count};
  const std::string said = largest_that_fits(small(4, 65536), {}, available);
  std::smatch match;
  ASSERT_TRUE(std::regex_match(said, match, std::regex("batch 1 at context ([0-9]+) would fit")))
      << said;
  const long context = std::stol(match[1]);
  EXPECT_GE(context, 1000);
  EXPECT_TRUE(fits(small(1, context), {}, available));
  EXPECT_FALSE(fits(small(1, context + 1), {}, available));
}

TEST(LargestThatFitsTest, WhenNothingFitsThatIsSaid) {
  EXPECT_THAT(largest_that_fits(small(4, 256), {}, Bytes{1 * kGiB}),
              HasSubstr("no batch would fit"));
}

TEST(LargestThatFitsTest, AResNetHasNoContext) {
  const ModelSpec model = ResNetSpec{.label = "resnet50", .depth = 50, .batch_size = 4096};
  EXPECT_THAT(largest_that_fits(model, {}, Bytes{8 * kGiB}),
              testing::MatchesRegex("batch [0-9]+ would fit"));
}

TEST(ShortageMessageTest, NeedPartsRoomAndWayOutStandInOneLine) {
  const ModelSpec model = small(512, 256);
  const Bytes available{8 * kGiB};
  const std::string message = shortage_message(model, {}, available);
  EXPECT_THAT(message,
              AllOf(HasSubstr("needs " + format_bytes(need_of(model))), HasSubstr("parameters "),
                    HasSubstr("gradients "), HasSubstr("optimizer "), HasSubstr("activations "),
                    HasSubstr("batch "), HasSubstr(format_bytes(available) + " available"),
                    HasSubstr(" would fit")));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(SmallerThatFitsTest, AfterAFailureABatchBelowTheFailedOneIsNamed) {
  const ModelSpec model = ResNetSpec{.label = "resnet18", .depth = 18, .batch_size = 2048};
  // The prediction says it would fit by far: it did not.
  for (const Bytes used : {Bytes{}, Bytes{6 * kGiB}, Bytes{100 * kGiB}}) {
    const std::string said =
        smaller_that_fits(model, {}, {.available = Bytes{200 * kGiB}, .used = used});
    std::smatch match;
    ASSERT_TRUE(std::regex_match(said, match, std::regex("batch ([0-9]+) should fit"))) << said;
    EXPECT_LT(std::stol(match[1]), 2048);
    ResNetSpec named = std::get<ResNetSpec>(model);
    named.batch_size = std::stol(match[1]);
    EXPECT_LE(need_of(named).count, 0.7 * need_of(model).count);
    EXPECT_TRUE(used.count == 0 || fits(named, {}, used));
  }
}

TEST(SmallerThatFitsTest, WhatWasInUseIsNoProofThatNothingFits) {
  const Shortage early{.available = Bytes{200 * kGiB}, .used = Bytes{1}};
  EXPECT_EQ(smaller_that_fits(small(8, 256), {}, early), "try batch 4");
  EXPECT_EQ(smaller_that_fits(small(2, 256), {}, early), "try batch 1");
  EXPECT_EQ(smaller_that_fits(small(1, 256), {}, early), "try context 128");
  EXPECT_EQ(smaller_that_fits(small(1, 16), {}, early), "nothing smaller is left to try");
}

TEST(NextSmallerTest, TheContextIsHalvedTo128ThenTheBatchThenTheContextAgain) {
  ModelSpec model = small(4, 600);
  std::vector<std::pair<long, long>> seen;
  while (const auto smaller = next_smaller(model)) {
    model = *smaller;
    const auto& spec = std::get<TransformerSpec>(model);
    seen.emplace_back(spec.context_length, spec.batch_size);
  }
  const std::vector<std::pair<long, long>> expected{{300, 4}, {150, 4}, {128, 4}, {128, 2},
                                                    {128, 1}, {64, 1},  {32, 1},  {16, 1}};
  EXPECT_EQ(seen, expected);
}

TEST(NextSmallerTest, AFileHasNoSmallerVersion) {
  EXPECT_FALSE(next_smaller(FileSpec{.label = "m.pt", .path = "m.pt", .inputs = {}}));
}

TEST(FitTest, AModelThatFitsIsLeftAlone) {
  const auto fitted = fit(small(4, 256), {}, Bytes{64 * kGiB});
  ASSERT_TRUE(fitted);
  EXPECT_EQ(describe_change(small(4, 256), *fitted, Bytes{64 * kGiB}), "");
}

TEST(FitTest, TheResultFitsAndTheStepBeforeItDidNot) {
  const Bytes available{6 * kGiB};
  const auto fitted = fit(small(64, 2048), {}, available);
  ASSERT_TRUE(fitted);
  EXPECT_TRUE(fits(*fitted, {}, available));
  ModelSpec before = small(64, 2048);
  const auto& wanted = std::get<TransformerSpec>(*fitted);
  for (auto next = next_smaller(before); next; next = next_smaller(before)) {
    const auto& spec = std::get<TransformerSpec>(*next);
    if (spec.batch_size == wanted.batch_size && spec.context_length == wanted.context_length) break;
    before = *next;
  }
  EXPECT_FALSE(fits(before, {}, available));
}

TEST(FitTest, WhatCannotFitIsAbsent) { EXPECT_FALSE(fit(small(4, 256), {}, Bytes{1 * kGiB})); }

TEST(DescribeChangeTest, WhatChangedAndWhyIsSaid) {
  EXPECT_EQ(describe_change(small(4, 1024), small(2, 256), Bytes{20 * kGiB}),
            "context 1024 -> 256, batch 4 -> 2 to fit 20.00 GiB");
  EXPECT_EQ(describe_change(small(4, 256), small(2, 256), Bytes{20 * kGiB}),
            "batch 4 -> 2 to fit 20.00 GiB");
}

}  // namespace
}  // namespace ridgeline
