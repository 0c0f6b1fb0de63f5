#include "cuda/counted_ranges.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kMetrics{"lts__t_bytes.sum", "dram__bytes_read.sum"};
constexpr Bytes kSwept{200e6};

std::string refusal(const CountedRanges& counted,
                    const std::vector<std::string>& metrics = kMetrics) {
  try {
    (void)kernels_of_ranges(counted, metrics);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::Device);
    return error.what();
  }
  return "";
}

TEST(CountedRangesTest, WithoutSweepsEachLaunchHasTheRangeOfItsPlace) {
  const auto kernels =
      kernels_of_ranges({.ranges = {{1, 2}, {3, 4}}, .launched = {"a", "b"}}, kMetrics);
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0].name, "a");
  EXPECT_THAT(kernels[0].values, ElementsAre(1, 2));
  EXPECT_EQ(kernels[1].name, "b");
  EXPECT_THAT(kernels[1].values, ElementsAre(3, 4));
}

TEST(CountedRangesTest, RangesOfSweepsAreDroppedByTheirPlace) {
  const auto kernels = kernels_of_ranges({.ranges = {{9, 180e6}, {1, 2}, {9, 199e6}, {3, 400e6}},
                                          .launched = {"a", "b"},
                                          .swept = kSwept},
                                         kMetrics);
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_THAT(kernels[0].values, ElementsAre(1, 2));
  EXPECT_EQ(kernels[1].name, "b");
  EXPECT_THAT(kernels[1].values, ElementsAre(3, 400e6));
}

TEST(CountedRangesTest, ACountThatDoesNotPairIsAnError) {
  EXPECT_THAT(refusal({.ranges = {{1, 2}}, .launched = {"a", "b"}}), HasSubstr("1 ranges of 2"));
  EXPECT_THAT(refusal({.ranges = {{1, 2}, {3, 4}}, .launched = {"a", "b"}, .swept = kSwept}),
              HasSubstr("2 ranges of 2 kernels and as many"));
  EXPECT_THAT(refusal({.ranges = {{1, 2}, {3, 4}}, .launched = {"a"}}), HasSubstr("2 ranges of 1"));
}

TEST(CountedRangesTest, AShiftIsSeenByWhatASweepReads) {
  const CountedRanges shifted{.ranges = {{1, 180e6}, {1, 2e6}, {1, 3e6}, {1, 180e6}},
                              .launched = {"a", "b"},
                              .swept = kSwept};
  EXPECT_THAT(refusal(shifted), HasSubstr("range 3 of 4"));
  EXPECT_THAT(refusal(shifted), HasSubstr("200 MB and read 3.0"));
}

TEST(CountedRangesTest, WhereReadsOfDramWereNotCountedTheNumberAlonePairs) {
  const CountedRanges counted{.ranges = {{1}, {2}}, .launched = {"a"}, .swept = kSwept};
  EXPECT_EQ(refusal(counted, {"lts__t_bytes.sum"}), "");
  const CountedRanges unread{
      .ranges = {{1, std::nan("")}, {2, 3}}, .launched = {"a"}, .swept = kSwept};
  EXPECT_EQ(refusal(unread), "");
}

}  // namespace
}  // namespace ridgeline
