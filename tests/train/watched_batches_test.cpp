#include "train/watched_batches.h"

#include <gtest/gtest.h>

#include "profile/observer.h"

namespace ridgeline {
namespace {

class CountedBatches final : public BatchSource {
 public:
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return 7; }
  void seek(std::int64_t epoch, std::int64_t batch) override { place = 10 * epoch + batch; }
  [[nodiscard]] HostBatch next() override { return {.count = static_cast<std::size_t>(++place)}; }
  void release() override { ++released; }
  std::int64_t place = 0;
  int released = 0;
};

// Far from steady_clock's, as that of a recording may be after a while.
Nanoseconds made_clock() noexcept {
  static Nanoseconds now = 1000;
  return now += 10;
}

TEST(WatchedBatchesTest, BatchesAreThoseOfTheSource) {
  CountedBatches source;
  WatchedBatches watched(source, made_clock);
  EXPECT_EQ(watched.batches_per_epoch(), 7);
  watched.seek(2, 3);
  EXPECT_EQ(watched.next().count, 24);
  watched.release();
  EXPECT_EQ(source.released, 1);
}

TEST(WatchedBatchesTest, OnlyWaitsOfRecordedStepsAreTold) {
  CountedBatches source;
  WatchedBatches watched(source, made_clock);
  (void)watched.next();
  RecordedStep step{.start = made_clock()};
  (void)watched.next();
  (void)watched.next();
  step.end = made_clock();
  (void)watched.next();
  const auto waits = watched.waits_in({step});
  ASSERT_EQ(waits.size(), 2);
  EXPECT_GE(waits[0].start, step.start);
  EXPECT_LE(waits[0].end, waits[1].start);
  EXPECT_LE(waits[1].end, step.end);
  EXPECT_TRUE(watched.waits_in({}).empty());
}

}  // namespace
}  // namespace ridgeline
