#include "train/resident_batches.h"

#include "core/error.h"
#include "data/draw.h"
#include "data/epoch_order.h"

namespace ridgeline {
namespace {

SamplePlan plan_of(const SampleDraw& drawn, std::size_t image) {
  return {.image = static_cast<std::int32_t>(image),
          .top = drawn.box.top,
          .left = drawn.box.left,
          .height = drawn.box.height,
          .width = drawn.box.width,
          .flip = drawn.flip ? 1 : 0,
          .reflect = drawn.border == Border::Reflect ? 1 : 0,
          .cut_top = drawn.cutout.top,
          .cut_left = drawn.cutout.left,
          .cut_height = drawn.cutout.height,
          .cut_width = drawn.cutout.width};
}

}  // namespace

std::vector<SamplePlan> plan_epoch(const ImageArray& images, const EpochPlanOptions& options,
                                   std::uint64_t epoch, std::size_t samples) {
  const auto order =
      epoch_order(images.size(),
                  {.seed = options.loader.seed, .epoch = epoch, .shuffle = options.loader.shuffle});
  RIDGELINE_CHECK(samples <= order.size());
  std::vector<std::uint8_t> scratch;
  std::vector<SamplePlan> plans;
  plans.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const SampleKey key{.seed = options.loader.seed, .epoch = epoch, .index = order[i]};
    plans.push_back(
        plan_of(draw(options.transform, images.read(order[i], scratch), key), order[i]));
  }
  return plans;
}

ResidentBatches::ResidentBatches(const ImageArray& images, const EpochPlanOptions& options,
                                 std::int64_t micro_batches)
    : images_(images), options_(options), micro_batches_(micro_batches) {}

std::int64_t ResidentBatches::batches_per_epoch() const {
  return static_cast<std::int64_t>(images_.size() / options_.loader.batch_size);
}

void ResidentBatches::attach(Trainer& trainer) {
  trainer_ = &trainer;
  trainer.keep_images(images_, options_.transform,
                      {.batch = static_cast<std::int64_t>(options_.loader.batch_size),
                       .steps_per_epoch = batches_per_epoch() / micro_batches_});
}

std::future<std::vector<SamplePlan>> ResidentBatches::start(std::int64_t epoch) const {
  const auto batches =
      static_cast<std::size_t>(batches_per_epoch() / micro_batches_ * micro_batches_);
  return std::async(std::launch::async, [this, epoch, batches] {
    return plan_epoch(images_, options_, static_cast<std::uint64_t>(epoch),
                      batches * options_.loader.batch_size);
  });
}

// The device finds its place in an epoch by the number of the step, so only the epoch matters.
void ResidentBatches::seek(std::int64_t epoch, std::int64_t /*batch*/) {
  RIDGELINE_CHECK(trainer_ != nullptr);
  if (ahead_.epoch != epoch) ahead_ = {.epoch = epoch, .plans = start(epoch)};
  trainer_->begin_epoch(ahead_.plans.get());
  ahead_ = {.epoch = epoch + 1, .plans = start(epoch + 1)};
}

}  // namespace ridgeline
