#include "roofline/peak_cache.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

const PeakKey kFp32{.machine = "Some CPU", .dtype = "fp32", .threads = 2, .torch = "2.11.0"};

class PeakCacheTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  PeakCache cache_{folder_.path() / "cache" / "peaks.json"};

  void put(std::string_view text) const { folder_.put("cache/peaks.json", text); }
};

TEST_F(PeakCacheTest, WithoutAFileNothingIsKnown) { EXPECT_FALSE(cache_.find(kFp32)); }

TEST_F(PeakCacheTest, WhatIsStoredIsFoundAgainToTheLastBit) {
  cache_.store(kFp32, 1.0 / 3.0 * 1e12);
  EXPECT_EQ(cache_.find(kFp32), 1.0 / 3.0 * 1e12);
}

TEST_F(PeakCacheTest, StoringKeepsTheOthersAndReplacesItsOwn) {
  PeakKey bf16 = kFp32;
  bf16.dtype = "bf16";
  cache_.store(kFp32, 1e12);
  cache_.store(bf16, 2e12);
  cache_.store(kFp32, 3e12);
  EXPECT_EQ(cache_.find(kFp32), 3e12);
  EXPECT_EQ(cache_.find(bf16), 2e12);
}

TEST_F(PeakCacheTest, AChangeOfAnyPartOfTheKeyAsksForANewMeasurement) {
  cache_.store(kFp32, 1e12);
  PeakKey other = kFp32;
  other.machine = "Another CPU";
  EXPECT_FALSE(cache_.find(other));
  other = kFp32;
  other.dtype = "tf32";
  EXPECT_FALSE(cache_.find(other));
  other = kFp32;
  other.threads = 3;
  EXPECT_FALSE(cache_.find(other));
  other = kFp32;
  other.torch = "2.11.1";
  EXPECT_FALSE(cache_.find(other));
}

TEST_F(PeakCacheTest, ADamagedFileIsAsGoodAsNone) {
  for (const char* text : {"", "{", "[1, 2]", "null", "\"text\"", "\x80\xff", "{\"a\": }"}) {
    put(text);
    EXPECT_FALSE(cache_.find(kFp32)) << text;
    cache_.store(kFp32, 5e11);
    EXPECT_EQ(cache_.find(kFp32), 5e11) << text;
  }
}

TEST_F(PeakCacheTest, AValueThatIsNoRateIsAsGoodAsNone) {
  for (const char* value : {"\"1e12\"", "true", "null", "[1e12]", "{}", "0", "-1e12", "1e999"}) {
    put("{\"" + kFp32.text() + "\": " + value + "}");
    EXPECT_FALSE(cache_.find(kFp32)) << value;
  }
}

TEST_F(PeakCacheTest, AnInfiniteRateDoesNotSurviveTheFile) {
  cache_.store(kFp32, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(cache_.find(kFp32));
}

TEST_F(PeakCacheTest, AFileThatIsFarTooLargeIsNotRead) {
  put("{\"" + kFp32.text() + "\": 1e12, \"padding\": \"" + std::string(2'000'000, 'x') + "\"}");
  EXPECT_FALSE(cache_.find(kFp32));
}

}  // namespace
}  // namespace ridgeline
