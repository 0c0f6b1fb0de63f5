#include <ATen/core/Tensor.h>

#include <cstring>

#include <gtest/gtest.h>

#include "cuda/kernels/augment_reference.h"
#include "train/made_images.h"
#include "train/trainer.h"

extern "C" ridgeline::Trainer* ridgeline_make_trainer(const ridgeline::ModelSpec&,
                                                      const ridgeline::TrainSettings&,
                                                      ridgeline::Backend&);

namespace ridgeline {
namespace {

// The CPU with the augmentation kernel's definition in place of the kernel: what is around the
// kernel can be tested without a GPU.
class AugmentingBackend final : public Backend {
 public:
  [[nodiscard]] int device_count() const override { return cpu().device_count(); }
  [[nodiscard]] DeviceFacts facts(int index) const override { return cpu().facts(index); }
  [[nodiscard]] std::unique_ptr<DeviceScope> enter(int index) override {
    return cpu().enter(index);
  }
  [[nodiscard]] std::unique_ptr<StepClock> make_clock(std::size_t points) override {
    return cpu().make_clock(points);
  }
  void synchronize() override {}
  [[nodiscard]] MemoryUse memory() const override { return cpu().memory(); }
  void reset_peak_memory() override {}
  void release_cached_memory() override {}
  [[nodiscard]] std::optional<std::string> capture_obstacle() const override { return "a CPU"; }
  [[nodiscard]] std::unique_ptr<CapturedWork> capture(const std::function<void()>& body) override {
    return cpu().capture(body);
  }
  [[nodiscard]] Ops fused(const Ops& plain) const override { return plain; }
  void set_tf32(bool) override {}
  [[nodiscard]] std::shared_ptr<std::byte> allocate_pinned(std::size_t bytes) override {
    return cpu().allocate_pinned(bytes);
  }
  [[nodiscard]] std::unique_ptr<Uploader> make_uploader(std::size_t slots) override {
    return cpu().make_uploader(slots);
  }
  [[nodiscard]] std::optional<std::string> augment_obstacle(const AugmentJob&) const override {
    return std::nullopt;
  }
  void augment(const AugmentJob& job) override {
    const std::int64_t batch = job.out.size(0);
    const std::int64_t place = *job.step.const_data_ptr<std::int64_t>() % job.steps_per_epoch;
    const auto* const plans = static_cast<const SamplePlan*>(job.plans.const_data_ptr()) +
                              (place * job.micro_batches + job.micro) * batch;
    kernels::AugmentProblem problem{.images = {job.images.const_data_ptr<std::uint8_t>(),
                                               static_cast<std::size_t>(job.images.numel())},
                                    .plans = {plans, static_cast<std::size_t>(batch)},
                                    .source_height = static_cast<int>(job.images.size(1)),
                                    .source_width = static_cast<int>(job.images.size(2)),
                                    .size = static_cast<int>(job.out.size(1)),
                                    .resample = job.resample};
    std::copy(job.factor.begin(), job.factor.end(), problem.factor);
    std::copy(job.offset.begin(), job.offset.end(), problem.offset);
    const std::vector<float> made = kernels::augment_reference(problem);
    std::memcpy(job.out.mutable_data_ptr(), made.data(), made.size() * sizeof(float));
    for (std::int64_t i = 0; i < batch; ++i)
      job.out_labels.mutable_data_ptr<std::int64_t>()[i] =
          job.labels.const_data_ptr<std::int64_t>()[plans[i].image];
  }
  void push_range(const char* name) override { ranges.emplace_back(name); }
  void pop_range() override {}
  void start_profiler() override {}
  void stop_profiler() override {}
  [[nodiscard]] std::optional<std::string> memory_history_obstacle() const override {
    return cpu().memory_history_obstacle();
  }
  void record_memory_history(bool on) override { cpu().record_memory_history(on); }
  [[nodiscard]] std::string memory_snapshot() override { return cpu().memory_snapshot(); }

  std::vector<std::string> ranges;

 private:
  static Backend& cpu() { return cpu_backend(); }
};

constexpr int kBatch = 8;
constexpr int kSide = 8;
constexpr int kStepsPerEpoch = 3;

const ResNetSpec kModel = testing::small_resnet(kSide, kBatch);

ImageArray::Content random_images() {
  return testing::random_images(kBatch * kStepsPerEpoch, kSide);
}

TrainSettings one_thread() {
  TrainSettings settings;
  settings.run.channels_last = true;
  settings.run.threads = 1;
  settings.optimizer = {.kind = OptimizerKind::Sgd, .learning_rate = 0.02, .weight_decay = 5e-4};
  settings.normalisation = kCifarNormalisation;
  settings.learning_rates.assign(16, 0.F);  // with a rate, rounding would grow from step to step
  return settings;
}

void keep_on_device(Trainer& trainer, const ImageArray& images) {
  std::vector<SamplePlan> plans;
  for (std::int32_t i = 0; i < kBatch * kStepsPerEpoch; ++i)
    plans.push_back({.image = i, .height = kSide, .width = kSide});
  trainer.keep_images(images, {.geometry = TransformOptions::Geometry::RandomCrop, .size = kSide},
                      {.batch = kBatch, .steps_per_epoch = kStepsPerEpoch});
  trainer.begin_epoch(plans);
}

TEST(ResidentTrainerTest, BatchesMadeFromPlansTrainAsThoseFromTheHost) {
  const ImageArray::Content content = random_images();
  const ImageArray array(content);
  AugmentingBackend backend;
  const std::unique_ptr<Trainer> fed(ridgeline_make_trainer(kModel, one_thread(), backend));
  const std::unique_ptr<Trainer> resident(ridgeline_make_trainer(kModel, one_thread(), backend));
  keep_on_device(*resident, array);
  for (int step = 0; step < 5; ++step) {
    const std::size_t first = static_cast<std::size_t>(step % kStepsPerEpoch) * kBatch;
    const std::vector<std::int64_t> labels(
        content.labels.begin() + static_cast<long>(first),
        content.labels.begin() + static_cast<long>(first) + kBatch);
    fed->upload({.pixels = reinterpret_cast<const std::byte*>(content.pixels.data()) +
                           first * kSide * kSide * 3,
                 .pixel_type = TransformOptions::Output::Bytes,
                 .height = kSide,
                 .width = kSide,
                 .labels = labels.data(),
                 .count = kBatch},
                0);
    fed->step();
    resident->upload({}, 0);
    resident->step();
    const TrainTotals expected = fed->take_totals();
    const TrainTotals found = resident->take_totals();
    EXPECT_NEAR(found.loss, expected.loss, 1e-5 * expected.loss) << step;
    EXPECT_EQ(found.samples, expected.samples);
  }
}

TEST(ResidentTrainerTest, OnlyAProfiledStepIsTheRangeThatNcuFiltersBy) {
  const ImageArray array(random_images());
  AugmentingBackend backend;
  TrainSettings settings = one_thread();
  settings.profiles_steps = true;
  const std::unique_ptr<Trainer> trainer(ridgeline_make_trainer(kModel, settings, backend));
  keep_on_device(*trainer, array);
  std::vector<std::string> outermost;
  for (const bool profiled : {false, true, false}) {
    if (profiled) trainer->profile_next_step();
    backend.ranges.clear();
    trainer->upload({}, 0);
    trainer->step();
    outermost.push_back(backend.ranges.front());
  }
  EXPECT_EQ(outermost, (std::vector<std::string>{"warmup_step", "train_step", "warmup_step"}));
}

}  // namespace
}  // namespace ridgeline
