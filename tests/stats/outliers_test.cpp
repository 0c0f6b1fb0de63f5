#include "stats/outliers.h"

#include <gtest/gtest.h>

#include "stats/samples.h"

namespace ridgeline {
namespace {

using testing::seconds;

// Quartiles of the sorted nine: 10 and 12, so the fences lie at 7 and 15 (mild), 4 and 18 (severe).
TEST(OutliersTest, EverySampleIsLabelledByTukeysFences) {
  const auto times = seconds({11, 10, 3, 12, 16, 10, 19, 12, 11});
  const Outliers found = label_outliers(times);
  using enum TukeyLabel;
  EXPECT_EQ(found.labels, (std::vector{Inside, Inside, SevereLow, Inside, MildHigh, Inside,
                                       SevereHigh, Inside, Inside}));
  EXPECT_EQ(found.severe_low, 1U);
  EXPECT_EQ(found.mild_low, 0U);
  EXPECT_EQ(found.mild_high, 1U);
  EXPECT_EQ(found.severe_high, 1U);
  EXPECT_EQ(found.count(), 3U);
}

TEST(OutliersTest, ASampleOnTheFenceIsInside) {
  const Outliers found = label_outliers(seconds({10, 10, 10, 11, 12, 12, 15, 11, 11}));
  EXPECT_EQ(found.count(), 0U);
}

TEST(OutliersTest, MildLowSamplesAreCounted) {
  const Outliers found = label_outliers(seconds({11, 10, 6, 12, 12, 10, 12, 12, 11}));
  EXPECT_EQ(found.mild_low, 1U);
  EXPECT_EQ(found.labels[2], TukeyLabel::MildLow);
}

TEST(OutliersTest, EqualSamplesHaveNone) {
  EXPECT_EQ(label_outliers(std::vector(20, Seconds{0.1})).count(), 0U);
}

TEST(OutliersTest, FewerThanFourSamplesHaveNone) {
  const Outliers found = label_outliers(seconds({1, 1, 100}));
  EXPECT_EQ(found.labels.size(), 3U);
  EXPECT_EQ(found.count(), 0U);
  EXPECT_TRUE(label_outliers({}).labels.empty());
}

}  // namespace
}  // namespace ridgeline
