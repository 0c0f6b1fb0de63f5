#include "train/fed_workload.h"

#include <chrono>

#include "core/error.h"

namespace ridgeline {

using Clock = std::chrono::steady_clock;

FedWorkload::FedWorkload(std::unique_ptr<Trainer> trainer, BatchSource& source,
                         std::size_t micro_batches)
    : trainer_(std::move(trainer)), source_(source), micro_batches_(micro_batches) {
  source_.attach(*trainer_);
  source_.seek(0, 0);
}

StepTimes FedWorkload::step() {
  const auto start = Clock::now();
  for (std::size_t micro = 0; micro < micro_batches_; ++micro) {
    const HostBatch batch = source_.next();
    trainer_->upload(batch, micro);
    source_.release();
  }
  trainer_->step();
  const Seconds host = Clock::now() - start;
  (void)trainer_->take_totals();  // waits for the device
  const Seconds total = Clock::now() - start;
  const TrainTimes times = trainer_->take_times();
  return {.forward = times.forward,
          .backward = times.backward,
          .optimizer = times.optimizer,
          .total = total,
          .host = host};
}

void FedWorkload::keep_state() {
  throw bad_input("a step that is fed from a data set cannot be repeated");
}
void FedWorkload::restore_state() { keep_state(); }

}  // namespace ridgeline
