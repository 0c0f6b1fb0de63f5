#pragma once

#include <memory>

#include "engine/workload.h"
#include "train/batch_source.h"

namespace ridgeline {

// Training as a workload: each step waits for its batch, brings it to the device and trains on it,
// so that a profile of it has the loader in it. The source outlives it.
class FedWorkload final : public Workload {
 public:
  FedWorkload(std::unique_ptr<Trainer> trainer, BatchSource& source, std::size_t micro_batches);

  // Its total is wall time, the wait for data included.
  StepTimes step() override;
  [[nodiscard]] MemoryUse memory() const override { return trainer_->memory(); }
  void reset_peak_memory() override { trainer_->reset_peak_memory(); }
  void activate() override {}
  void grow_memory(Bytes /*bytes*/) override {}
  void keep_state() override;
  void restore_state() override;

 private:
  std::unique_ptr<Trainer> trainer_;
  BatchSource& source_;
  std::size_t micro_batches_;
};

}  // namespace ridgeline
