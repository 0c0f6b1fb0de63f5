#include "train/token_batches.h"

#include <algorithm>

#include "train/evaluation.h"

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

std::int64_t batches_in_order(std::uint64_t tokens, const TokenShape& shape) {
  // The last target of a row is the first input of the next.
  const auto inputs = tokens > 0 ? static_cast<std::int64_t>(tokens - 1) : 0;
  return inputs / (shape.rows * shape.context);
}

std::optional<Score> evaluate(Trainer& trainer, const TokenSource& held_out,
                              const TokenShape& shape, const std::function<bool()>& interrupted) {
  TokenBatches batches(held_out, shape);
  std::int64_t left = batches_in_order(held_out.size(), shape);
  const auto judge_next = [&] {
    if (left-- <= 0) return false;
    trainer.evaluate(batches.next());
    return true;
  };
  auto score = evaluate_batches(trainer, judge_next, interrupted);
  if (score) score->accuracy.reset();
  return score;
}

}  // namespace ridgeline
