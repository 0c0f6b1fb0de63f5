#pragma once

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "train/batch_source.h"
#include "train/trainer.h"

namespace ridgeline {

// Remembers what it was fed; every sample costs its batch's number as loss.
class FakeTrainer final : public Trainer {
 public:
  void upload(const HostBatch& batch, std::size_t) override {
    fed.push_back(*batch.labels);
    if (taken_ == bad_step) {
      totals_.bad_samples += static_cast<std::int64_t>(batch.count);
      return;
    }
    totals_.loss += static_cast<double>(*batch.labels) * static_cast<double>(batch.count);
    totals_.samples += static_cast<std::int64_t>(batch.count);
    totals_.correct += 1;
  }
  void keep_images(const ImageArray&, const TransformOptions&, const ResidentShape&) override {}
  void begin_epoch(std::span<const SamplePlan>) override {}
  void step() override {
    if (taken_ == failing_step) throw Error(Fault::Device, "the device is gone");
    if (taken_ == bad_step) {
      totals_.first_bad_step = taken_;
      ++totals_.bad_steps;
    }
    ++taken_;
    ++times_.steps;
    times_.busy += Seconds{1};
  }
  void wait() override {}
  TrainTotals take_totals() override {
    std::this_thread::sleep_for(queued);
    return std::exchange(totals_, {});
  }
  TrainTimes take_times() override { return std::exchange(times_, {}); }
  void begin_evaluation() override {}
  void evaluate(const HostBatch&) override {}
  std::vector<float> predict(const HostBatch&) override { return {}; }
  void end_evaluation() override {}
  [[nodiscard]] std::int64_t steps_taken() const override { return taken_; }
  Value state() override { return {Dict{}}; }
  void restore(const Value&, std::int64_t) override {}
  NamedArrays weights() override { return {}; }
  LoadedWeights load_weights(const NamedArrays&) override { return {}; }
  bool is_finite() override { return finite; }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  void reset_peak_memory() override {}
  void profile_next_step() override {}

  std::vector<std::int64_t> fed;
  std::int64_t bad_step = -1;
  std::int64_t failing_step = -1;
  bool finite = true;
  std::chrono::milliseconds queued{};  // until the device has done what was asked of it

 private:
  std::int64_t taken_ = 0;
  TrainTotals totals_;
  TrainTimes times_;
};

// Batch b of epoch e is the number 100 e + b; four samples each.
class FakeSource final : public BatchSource {
 public:
  explicit FakeSource(std::int64_t per_epoch) : per_epoch_(per_epoch) {}
  [[nodiscard]] std::int64_t batches_per_epoch() const override { return per_epoch_; }
  void seek(std::int64_t epoch, std::int64_t batch) override { next_ = epoch * per_epoch_ + batch; }
  HostBatch next() override {
    if (next_ == broken_batch) throw bad_input("a broken image");
    number_ = 100 * (next_ / per_epoch_) + next_ % per_epoch_;
    ++next_;
    return {.labels = &number_, .count = 4};
  }
  void release() override {}

  std::int64_t broken_batch = -1;

 private:
  std::int64_t per_epoch_;
  std::int64_t next_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace ridgeline
