#pragma once

#include <vector>

#include "profile/observer.h"
#include "train/batch_source.h"

namespace ridgeline {

// Batches of another source, with when each was waited for: what a profile of a training shows of
// its loader. The source outlives it; `now` is the clock of the records that the waits are to stand
// among.
class WatchedBatches final : public BatchSource {
 public:
  WatchedBatches(BatchSource& source, FrameHooks::Clock now) : source_(source), now_(now) {}

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
  FrameHooks::Clock now_;
  std::vector<DataWait> waits_;  // the first kMostWaits
};

}  // namespace ridgeline
