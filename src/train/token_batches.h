#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "data/text.h"
#include "train/batch_source.h"
#include "train/loop.h"

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

// How many whole batches of such rows lie one after another in a held-out part.
[[nodiscard]] std::int64_t batches_in_order(std::uint64_t tokens, const TokenShape& shape);
// The loss of all of them; of tokens no accuracy is known. Absent when interrupted.
[[nodiscard]] std::optional<Score> evaluate(Trainer& trainer, const TokenSource& held_out,
                                            const TokenShape& shape,
                                            const std::function<bool()>& interrupted);

}  // namespace ridgeline
