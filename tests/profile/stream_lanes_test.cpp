#include "profile/stream_lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

DeviceRecord work(Nanoseconds start, Nanoseconds end, std::uint32_t stream = 7,
                  std::uint32_t device = 0) {
  return {.start = start, .end = end, .device = device, .stream = stream};
}

TEST(StreamLanesTest, WorkThatFollowsStaysOnItsStream) {
  EXPECT_THAT(stream_lanes({}), IsEmpty());
  EXPECT_THAT(stream_lanes({work(0, 10), work(10, 20), work(25, 30)}), ElementsAre(0, 0, 0));
}

TEST(StreamLanesTest, WhatOverlapsStandsOnTheFirstLaneThatIsFree) {
  EXPECT_THAT(stream_lanes({work(0, 10), work(8, 20), work(9, 12), work(12, 15), work(20, 30)}),
              ElementsAre(0, 1, 2, 0, 0));
}

TEST(StreamLanesTest, WorkInsideOtherWorkIsNoPartOfIt) {
  EXPECT_THAT(stream_lanes({work(0, 10), work(2, 5), work(5, 6)}), ElementsAre(0, 1, 1));
}

TEST(StreamLanesTest, StreamsAndDevicesHaveLanesOfTheirOwn) {
  EXPECT_THAT(stream_lanes({work(0, 10), work(0, 10, 9), work(0, 10, 7, 1), work(5, 12, 9)}),
              ElementsAre(0, 0, 0, 1));
}

TEST(StreamLanesTest, RecordsNeedNotBeInOrder) {
  EXPECT_THAT(stream_lanes({work(8, 20), work(0, 10)}), ElementsAre(1, 0));
}

TEST(StreamLanesTest, ALaneHasItsOwnTrack) {
  EXPECT_EQ(track_of_lane(7, 0), 7);
  EXPECT_EQ(track_of_lane(7, 2), 2'000'007);
  EXPECT_EQ(name_of_lane(7, 0), "stream 7");
  EXPECT_EQ(name_of_lane(7, 1), "stream 7, overlapping");
}

}  // namespace
}  // namespace ridgeline
