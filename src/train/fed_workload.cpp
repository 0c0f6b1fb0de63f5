#include "train/fed_workload.h"

#include <algorithm>
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
    const auto asked = Clock::now();
    const HostBatch batch = source_.next();
    waited_ += Clock::now() - asked;
    trainer_->upload(batch, micro);
    source_.release();
  }
  trainer_->step();
  const Seconds host = Clock::now() - start;
  (void)trainer_->take_totals();  // waits for the device
  const Seconds total = Clock::now() - start;
  const TrainTimes times = trainer_->take_times();
  stepped_ += total;
  ++steps_;
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

Seconds FedWorkload::mean_wait() const { return waited_ / std::max(1.0, steps_); }
Seconds FedWorkload::mean_step() const { return stepped_ / std::max(1.0, steps_); }

}  // namespace ridgeline
