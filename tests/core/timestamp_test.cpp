#include "core/timestamp.h"

#include <gmock/gmock.h>

namespace ridgeline {
namespace {

TEST(TimestampTest, TimesAreUtcInIso8601) {
  EXPECT_EQ(iso8601(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso8601(1794722400), "2026-11-15T06:00:00Z");
  EXPECT_EQ(iso8601(951827696), "2000-02-29T12:34:56Z");
  EXPECT_EQ(compact_time(951827696), "20000229-123456");
}

TEST(TimestampTest, NowHasTheSameForm) {
  EXPECT_THAT(utc_now(), ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
  EXPECT_THAT(utc_now_compact(), ::testing::MatchesRegex("[0-9]{8}-[0-9]{6}"));
}

}  // namespace
}  // namespace ridgeline
