#include "roofline/peak_cache.h"

#include <limits>

#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

const PeakKey kFp32{.machine = "Some CPU", .dtype = "fp32", .threads = 2, .torch = "2.11.0"};

MeasuredPeak made(const std::string& name, double rate, int threads = 2) {
  return {.name = name,
          .path = ComputePath::Fp32,
          .threads = threads,
          .per_second = rate,
          .low = 0.99 * rate,
          .high = 1.01 * rate,
          .samples = 11,
          .at = "somewhere"};
}

class PeakCacheTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  PeakCache cache_{folder_.path() / "cache" / "peaks.json"};

  void put(std::string_view text) const { folder_.put("cache/peaks.json", text); }
  void store(double rate) const { cache_.store(kFp32, std::vector{made("fp32", rate)}); }
  [[nodiscard]] std::optional<double> rate(const PeakKey& key) const {
    const auto peak = cache_.find(key);
    return peak ? std::optional(peak->per_second) : std::nullopt;
  }
};

TEST_F(PeakCacheTest, WithoutAFileNothingIsKnown) {
  EXPECT_FALSE(cache_.find(kFp32));
  EXPECT_FALSE(cache_.find_set(kFp32));
}

TEST_F(PeakCacheTest, WhatIsStoredIsFoundAgainToTheLastBit) {
  store(1.0 / 3.0 * 1e12);
  const auto peak = cache_.find(kFp32);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->per_second, 1.0 / 3.0 * 1e12);
  EXPECT_EQ(peak->low, 0.99 * (1.0 / 3.0 * 1e12));
  EXPECT_EQ(peak->at, "somewhere");
  EXPECT_EQ(peak->path, ComputePath::Fp32);
}

TEST_F(PeakCacheTest, StoringKeepsTheOthersAndReplacesItsOwn) {
  PeakKey bf16 = kFp32;
  bf16.dtype = "bf16";
  store(1e12);
  cache_.store(bf16, std::vector{made("bf16", 2e12)});
  store(3e12);
  EXPECT_EQ(rate(kFp32), 3e12);
  EXPECT_EQ(rate(bf16), 2e12);
}

TEST_F(PeakCacheTest, AChangeOfAnyPartOfTheKeyAsksForANewMeasurement) {
  store(1e12);
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
  other.cores = 1;
  EXPECT_FALSE(cache_.find(other));
  other = kFp32;
  other.torch = "2.11.1";
  EXPECT_FALSE(cache_.find(other));
  other = kFp32;
  other.driver = "580.1";
  EXPECT_FALSE(cache_.find(other));
}

TEST_F(PeakCacheTest, WhatIsNotSteadyIsNotKeptAndForgetsWhatWasKnown) {
  store(1e9);
  MeasuredPeak restless = made("fp32", 1e11);
  restless.low = 5e10;
  cache_.store(kFp32, std::vector{restless, made("copy", 2e10)});
  EXPECT_FALSE(cache_.find(kFp32));
  PeakKey copy = kFp32;
  copy.dtype = "copy";
  EXPECT_EQ(rate(copy), 2e10);
}

TEST_F(PeakCacheTest, NumbersOfOldArePeaksWithoutAnInterval) {
  put("{\"Some CPU | fp32 | 2 threads | torch 2.11.0\": 1.5e11}");
  const auto peak = cache_.find(kFp32);
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->per_second, 1.5e11);
  EXPECT_EQ(peak->name, "fp32");
  EXPECT_FALSE(peak->low);
  EXPECT_FALSE(is_steady(*peak));
}

TEST_F(PeakCacheTest, ASetIsFoundWhenAllOfItIsThere) {
  const std::vector peaks{made("fp32 AVX2", 1e11, 1), made("fp32 AVX2", 2e11, 2),
                          made("fp64 AVX2", 1e11, 2)};
  cache_.store(kFp32, peaks);
  EXPECT_FALSE(cache_.find_set(kFp32)) << "single peaks are no set";
  cache_.store_set(kFp32, peaks);
  const auto found = cache_.find_set(kFp32);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[1].per_second, 2e11);
  EXPECT_EQ((*found)[1].threads, 2);
  // One that is measured alone later is the set's too.
  PeakKey one = kFp32;
  one.dtype = "fp64 AVX2";
  cache_.store(one, std::vector{made("fp64 AVX2", 3e11, 2)});
  EXPECT_EQ(cache_.find_set(kFp32)->at(2).per_second, 3e11);
  PeakKey other = kFp32;
  other.threads = 1;
  EXPECT_FALSE(cache_.find_set(other));
}

TEST_F(PeakCacheTest, ASetWithAPartThatIsLostIsNoSet) {
  const std::string list = "\"Some CPU | all peaks | 2 threads | torch 2.11.0\": ";
  for (const char* value :
       {"[]", "{}", "3", "[1]", "[{}]", "[{\"name\": \"gone\"}]",
        "[{\"name\": \"gone\", \"threads\": 2}]", "[{\"name\": 1, \"threads\": -2}]"}) {
    put("{" + list + value + "}");
    EXPECT_FALSE(cache_.find_set(kFp32)) << value;
  }
}

TEST_F(PeakCacheTest, ADamagedFileIsAsGoodAsNone) {
  for (const char* text : {"", "{", "[1, 2]", "null", "\"text\"", "\x80\xff", "{\"a\": }"}) {
    put(text);
    EXPECT_FALSE(cache_.find(kFp32)) << text;
    store(5e11);
    EXPECT_EQ(rate(kFp32), 5e11) << text;
  }
}

TEST_F(PeakCacheTest, AValueThatIsNoRateIsAsGoodAsNone) {
  for (const char* value : {"\"1e12\"", "true", "null", "[1e12]", "{}", "0", "-1e12", "1e999"}) {
    put("{\"" + kFp32.text() + "\": " + value + "}");
    EXPECT_FALSE(cache_.find(kFp32)) << value;
  }
}

TEST_F(PeakCacheTest, AnInfiniteRateDoesNotSurviveTheFile) {
  store(std::numeric_limits<double>::infinity());
  EXPECT_FALSE(cache_.find(kFp32));
}

TEST_F(PeakCacheTest, AFileThatIsFarTooLargeIsNotRead) {
  put("{\"" + kFp32.text() + "\": 1e12, \"padding\": \"" + std::string(2'000'000, 'x') + "\"}");
  EXPECT_FALSE(cache_.find(kFp32));
}

}  // namespace
}  // namespace ridgeline
