#include "train/image_batches.h"

#include <fmt/format.h>

#include "core/error.h"
#include "data/draw.h"
#include "models/resnet_plan.h"
#include "train/evaluation.h"

namespace ridgeline {

void require_fitting_images(const ImageSet& images, const TransformOptions& options) {
  if (images.size() == 0) throw bad_input("the data set has no images");
  if (resamples(options)) return;
  std::vector<std::uint8_t> scratch;
  const std::string reason = misfit(options, images.read(0, scratch));
  if (!reason.empty()) throw bad_input(fmt::format("{}: {}", images.sample_name(0), reason));
}

void require_variances(const ResNetSpec& model, const LoaderOptions& loader, std::size_t images,
                       std::size_t accumulation) {
  if (plan_resnet(model).final_size > 1) return;
  const std::string why = fmt::format(
      "{} ends at one pixel on images of {}, and BatchNorm cannot train on a single value",
      model.label, model.image_size);
  if (loader.batch_size == 1)
    throw bad_input(fmt::format("--batch-size 1: {}; take 2 or more, or larger images", why));
  const std::size_t rest = images % loader.batch_size;
  const bool last_is_taken = (images / loader.batch_size + 1) % accumulation == 0;
  if (!loader.drop_last && rest == 1 && last_is_taken)
    throw bad_input(
        fmt::format("--no-drop-last: the last of {} images is a batch of its own; {}; take another "
                    "--batch-size or leave --drop-last on",
                    images, why));
}

HostBatch host_batch(const Batch& batch, const TransformOptions& options) {
  return {.pixels = batch.pixels,
          .pixel_type = options.output,
          .height = options.size,
          .width = options.size,
          .labels = batch.labels,
          .count = batch.count};
}

ImageBatches::ImageBatches(Loader& loader, const Transform& transform)
    : loader_(loader), transform_(transform) {}

std::int64_t ImageBatches::batches_per_epoch() const {
  return static_cast<std::int64_t>(loader_.batches_per_epoch());
}

void ImageBatches::seek(std::int64_t epoch, std::int64_t batch) {
  epoch_ = epoch;
  loader_.start_epoch(static_cast<std::uint64_t>(epoch), static_cast<std::size_t>(batch));
}

HostBatch ImageBatches::next() {
  RIDGELINE_CHECK(!held_);
  held_ = loader_.next();
  if (!held_) {
    seek(epoch_ + 1, 0);
    held_ = loader_.next();
  }
  RIDGELINE_CHECK(held_.has_value());
  return host_batch(*held_, transform_.options());
}

void ImageBatches::release() {
  RIDGELINE_CHECK(held_.has_value());
  loader_.release(*held_);
  held_.reset();
}

std::optional<Score> evaluate(Trainer& trainer, Loader& loader, const Transform& transform,
                              const std::function<bool()>& interrupted) {
  loader.start_epoch(0);
  const auto judge_next = [&] {
    const auto batch = loader.next();
    if (!batch) return false;
    trainer.evaluate(host_batch(*batch, transform.options()));
    loader.release(*batch);
    return true;
  };
  return evaluate_batches(trainer, judge_next, interrupted);
}

}  // namespace ridgeline
