#pragma once

#include <vector>

#include "data/text.h"
#include "train/batch_source.h"

namespace ridgeline {

struct TokenShape {
  std::int64_t rows = 8;
  std::int64_t context = 256;
};

// Rows of a token source, step by step. An epoch is as many batches as the source has rows for.
class TokenBatches final : public BatchSource {
 public:
  TokenBatches(const TokenSource& source, const TokenShape& shape);

  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  void seek(std::int64_t epoch, std::int64_t batch) override;
  [[nodiscard]] HostBatch next() override;
  void release() override {}

 private:
  const TokenSource& source_;
  TokenShape shape_;
  std::int64_t next_ = 0;
  std::vector<std::int64_t> tokens_;
};

}  // namespace ridgeline
