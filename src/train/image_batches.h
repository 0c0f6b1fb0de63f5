#pragma once

#include <functional>
#include <optional>

#include "data/loader.h"
#include "models/spec.h"
#include "train/batch_source.h"
#include "train/loop.h"

namespace ridgeline {

// A loader's batches, epoch after epoch.
class ImageBatches final : public BatchSource {
 public:
  explicit ImageBatches(Loader& loader, const Transform& transform);

  [[nodiscard]] std::int64_t batches_per_epoch() const override;
  void seek(std::int64_t epoch, std::int64_t batch) override;
  [[nodiscard]] HostBatch next() override;
  void release() override;

 private:
  Loader& loader_;
  const Transform& transform_;
  std::int64_t epoch_ = 0;
  std::optional<Batch> held_;
};

// Error(BadInput) when the transform would not bring the first of these images to its size (one
// that copies them as they are, a crop of images that are smaller) or, unasked, would cut pieces
// out of photographs. Each later image is asked when it is drawn.
void require_fitting_images(const ImageSet& images, const TransformOptions& options);

// Error(BadInput) when one of the epoch's batches leaves BatchNorm a single value a channel, as one
// image does where the last maps have one pixel: it has no variance. `accumulation`: batches a
// step, of which only whole ones are taken.
void require_variances(const ResNetSpec& model, const LoaderOptions& loader, std::size_t images,
                       std::size_t accumulation);

// The loader's batch as the trainer takes it.
[[nodiscard]] HostBatch host_batch(const Batch& batch, const TransformOptions& options);

// Every image of the loader once, in evaluation mode; absent when interrupted before the last.
[[nodiscard]] std::optional<Score> evaluate(Trainer& trainer, Loader& loader,
                                            const Transform& transform,
                                            const std::function<bool()>& interrupted);

}  // namespace ridgeline
