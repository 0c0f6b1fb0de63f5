#include "train/token_batches.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(TokenBatchesTest, AnEpochOfTheWorkshopsRowsHasItsBatches) {
  const auto source = make_random_tokens({.rows = 1000, .context = 16, .vocab = 50, .seed = 1});
  const TokenBatches batches(*source, {.rows = 8, .context = 16});
  EXPECT_EQ(batches.batches_per_epoch(), 125);
}

TEST(TokenBatchesTest, APlaceIsFoundAgain) {
  const auto source = make_random_tokens({.rows = 20, .context = 4, .vocab = 50, .seed = 1});
  TokenBatches batches(*source, {.rows = 4, .context = 4});
  batches.seek(0, 0);
  std::vector<std::vector<std::int64_t>> seen;
  for (int i = 0; i < 8; ++i) {
    const HostBatch batch = batches.next();
    EXPECT_EQ(batch.width, 5);
    EXPECT_EQ(batch.count, 4U);
    seen.emplace_back(batch.labels, batch.labels + 20);
    batches.release();
  }
  batches.seek(1, 2);  // five batches an epoch
  const HostBatch again = batches.next();
  EXPECT_EQ(std::vector<std::int64_t>(again.labels, again.labels + 20), seen[7]);
}

}  // namespace
}  // namespace ridgeline
