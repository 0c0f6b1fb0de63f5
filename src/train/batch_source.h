#pragma once

#include <cstdint>

#include "train/trainer.h"

namespace ridgeline {

// Where micro-batches come from, in an order that is a function of the place alone, so that a
// resumed run sees what an uninterrupted one would have.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  // Called once, before anything else, with the trainer that will be fed.
  virtual void attach(Trainer& /*trainer*/) {}
  [[nodiscard]] virtual std::int64_t batches_per_epoch() const = 0;
  // Goes to a batch of an epoch; the next one follows it, into the next epoch too.
  virtual void seek(std::int64_t epoch, std::int64_t batch) = 0;
  // Valid until release().
  [[nodiscard]] virtual HostBatch next() = 0;
  virtual void release() = 0;
};

}  // namespace ridgeline
