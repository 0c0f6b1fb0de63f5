#pragma once

#include <vector>

#include "profile/records.h"
#include "train/batch_source.h"

namespace ridgeline {

// Batches of another source, with when each was waited for: what a profile of a training shows of
// its loader. The source outlives it.
class WatchedBatches final : public BatchSource {
 public:
  explicit WatchedBatches(BatchSource& source) : source_(source) {}

  void attach(Trainer& trainer) override { source_.attach(trainer); }
  [[nodiscard]] std::int64_t batches_per_epoch() const override {
    return source_.batches_per_epoch();
  }
  void seek(std::int64_t epoch, std::int64_t batch) override { source_.seek(epoch, batch); }
  [[nodiscard]] HostBatch next() override;
  void release() override { source_.release(); }

  // Those of the recorded steps.
  [[nodiscard]] std::vector<DataWait> waits_in(const std::vector<RecordedStep>& steps) const;

 private:
  BatchSource& source_;
  std::vector<DataWait> waits_;  // the first kMostWaits
};

}  // namespace ridgeline
