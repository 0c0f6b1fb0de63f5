#pragma once

#include <future>
#include <vector>

#include "data/image_array.h"
#include "data/loader.h"
#include "train/batch_source.h"

namespace ridgeline {

// The samples of an epoch, in the loader's order and with the transform's draws: what a device
// needs to make the loader's batches itself.
struct EpochPlanOptions {
  TransformOptions transform{};
  LoaderOptions loader{};
};
[[nodiscard]] std::vector<SamplePlan> plan_epoch(const ImageArray& images,
                                                 const EpochPlanOptions& options,
                                                 std::uint64_t epoch, std::size_t samples);

// Batches that the device makes from images it keeps; here are only the plans, an epoch ahead.
class ResidentBatches final : public BatchSource {
 public:
  ResidentBatches(const ImageArray& images, const EpochPlanOptions& options,
                  std::int64_t micro_batches);

  void attach(Trainer& trainer) override;
  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  void seek(std::int64_t epoch, std::int64_t batch) override;
  [[nodiscard]] HostBatch next() override { return {}; }
  void release() override {}

 private:
  struct Ahead {
    std::int64_t epoch = -1;
    std::future<std::vector<SamplePlan>> plans;
  };
  [[nodiscard]] std::future<std::vector<SamplePlan>> start(std::int64_t epoch) const;

  const ImageArray& images_;
  EpochPlanOptions options_;
  std::int64_t micro_batches_;
  Trainer* trainer_ = nullptr;
  Ahead ahead_;
};

}  // namespace ridgeline
