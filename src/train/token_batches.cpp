#include "train/token_batches.h"

#include <algorithm>

namespace ridgeline {

TokenBatches::TokenBatches(const TokenSource& source, const TokenShape& shape)
    : source_(source),
      shape_(shape),
      tokens_(static_cast<std::size_t>(shape.rows * (shape.context + 1))) {}

std::int64_t TokenBatches::batches_per_epoch() const {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(source_.size() / tokens_.size()));
}

void TokenBatches::seek(std::int64_t epoch, std::int64_t batch) {
  next_ = epoch * batches_per_epoch() + batch;
}

HostBatch TokenBatches::next() {
  source_.fill(static_cast<std::uint64_t>(next_++), static_cast<std::size_t>(shape_.rows),
               static_cast<std::size_t>(shape_.context), tokens_.data());
  return {.width = static_cast<int>(shape_.context + 1),
          .labels = tokens_.data(),
          .count = static_cast<std::size_t>(shape_.rows)};
}

}  // namespace ridgeline
