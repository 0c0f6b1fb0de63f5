#include "train/trainer.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "cuda/plugin.h"
#include "train/made_images.h"

extern "C" ridgeline::Trainer* ridgeline_make_trainer(const ridgeline::ModelSpec&,
                                                      const ridgeline::TrainSettings&,
                                                      ridgeline::Backend&);

namespace ridgeline {
namespace {

constexpr int kBatch = 16;
constexpr int kSide = 32;
constexpr int kStepsPerEpoch = 4;

class CudaTrainerTest : public PluginTest {
 protected:
  static TrainSettings settings_of(Precision precision, Mode mode) {
    TrainSettings settings;
    settings.run = {.device = {.kind = DeviceKind::Cuda, .index = 0},
                    .precision = precision,
                    .mode = mode,
                    .channels_last = true,
                    .deterministic = true};
    settings.optimizer = {.kind = OptimizerKind::Sgd, .learning_rate = 0.02, .weight_decay = 5e-4};
    settings.normalisation = kCifarNormalisation;
    settings.learning_rates.assign(64, 0.02F);
    return settings;
  }

  static std::unique_ptr<Trainer> make(const TrainSettings& settings) {
    const ResNetSpec spec = testing::small_resnet(kSide, kBatch);
    return std::unique_ptr<Trainer>(ridgeline_make_trainer(spec, settings, backend()));
  }

  static ImageArray::Content images() {
    return testing::random_images(kBatch * kStepsPerEpoch, kSide);
  }

  // Step `step` of the epoch from the host, untouched: the same as whole-image plans.
  static void take_step(Trainer& trainer, const ImageArray::Content& content, int step) {
    const std::size_t first = static_cast<std::size_t>(step % kStepsPerEpoch) * kBatch;
    std::vector<std::int64_t> labels(content.labels.begin() + static_cast<long>(first),
                                     content.labels.begin() + static_cast<long>(first) + kBatch);
    trainer.upload({.pixels = reinterpret_cast<const std::byte*>(content.pixels.data()) +
                              first * kSide * kSide * 3,
                    .pixel_type = TransformOptions::Output::Bytes,
                    .height = kSide,
                    .width = kSide,
                    .labels = labels.data(),
                    .count = kBatch},
                   0);
    trainer.step();
  }

  static std::string bytes_of(Trainer& trainer) {
    std::string bytes;
    for (const auto& [name, array] : trainer.weights())
      bytes.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    return bytes;
  }
};

TEST_F(CudaTrainerTest, AResumedRunHasTheBitsOfTheWholeOne) {
  for (const Mode mode : {Mode::Eager, Mode::Graph}) {
    const TrainSettings settings = settings_of(Precision::Bf16, mode);
    const auto content = images();
    const auto whole = make(settings);
    for (int step = 0; step < 10; ++step) take_step(*whole, content, step);
    const auto first = make(settings);
    for (int step = 0; step < 5; ++step) take_step(*first, content, step);
    const auto second = make(settings);
    second->restore(first->state(), 5);
    for (int step = 5; step < 10; ++step) take_step(*second, content, step);
    EXPECT_EQ(bytes_of(*whole), bytes_of(*second)) << name_of(mode);
  }
}

TEST_F(CudaTrainerTest, ACapturedStepComputesWhatAnEagerOneDoes) {
  const auto content = images();
  const auto eager = make(settings_of(Precision::Bf16, Mode::Eager));
  const auto graph = make(settings_of(Precision::Bf16, Mode::Graph));
  for (int step = 0; step < 8; ++step) {
    take_step(*eager, content, step);
    take_step(*graph, content, step);
  }
  EXPECT_EQ(bytes_of(*eager), bytes_of(*graph));
  EXPECT_DOUBLE_EQ(eager->take_totals().loss, graph->take_totals().loss);
}

TEST_F(CudaTrainerTest, MuonsUpdateIsPartOfTheGraph) {
  const auto content = images();
  const auto with_muon = [](Mode mode) {
    TrainSettings settings = settings_of(Precision::Bf16, mode);
    settings.optimizer.kind = OptimizerKind::Muon;
    // A rate that changes, so that a captured one would show.
    for (std::size_t i = 0; i < settings.learning_rates.size(); ++i)
      settings.learning_rates[i] = 0.02F / static_cast<float>(i + 1);
    return settings;
  };
  const auto eager = make(with_muon(Mode::Eager));
  const auto graph = make(with_muon(Mode::Graph));
  for (int step = 0; step < 8; ++step) {
    take_step(*eager, content, step);
    take_step(*graph, content, step);
  }
  EXPECT_EQ(bytes_of(*eager), bytes_of(*graph));
  const auto resumed = make(with_muon(Mode::Graph));
  resumed->restore(graph->state(), 8);
  for (int step = 8; step < 14; ++step) {
    take_step(*graph, content, step);
    take_step(*resumed, content, step);
  }
  EXPECT_EQ(bytes_of(*graph), bytes_of(*resumed));
}

TEST_F(CudaTrainerTest, ABadLossLeavesMuonAsItWasInAGraph) {
  TrainSettings settings = settings_of(Precision::Bf16, Mode::Graph);
  settings.optimizer.kind = OptimizerKind::Muon;
  settings.survive_bad_steps = true;
  const auto trainer = make(settings);
  const auto twin = make(settings);
  const std::vector<std::int64_t> labels(kBatch, 1);
  const auto take = [&](Trainer& of, float value) {
    const std::vector<float> pixels(kBatch * kSide * kSide * 3, value);
    of.upload({.pixels = reinterpret_cast<const std::byte*>(pixels.data()),
               .height = kSide,
               .width = kSide,
               .labels = labels.data(),
               .count = kBatch},
              0);
    of.step();
    of.wait();
  };
  // The rates are all alike, so the twin without the bad step ends at the same weights.
  for (int step = 0; step < 9; ++step) {
    const float value = 0.1F * static_cast<float>(step);
    take(*trainer, step == 6 ? NAN : value);
    if (step != 6) take(*twin, value);
  }
  EXPECT_EQ(trainer->take_totals().bad_steps, 1);
  EXPECT_EQ(bytes_of(*trainer), bytes_of(*twin));
}

TEST_F(CudaTrainerTest, BatchesMadeOnTheDeviceAreThoseOfTheHost) {
  const auto content = images();
  const ImageArray array(content);
  TrainSettings settings = settings_of(Precision::Fp32, Mode::Eager);
  settings.learning_rates.assign(64, 0.F);  // with a rate, rounding would grow from step to step
  const auto fed = make(settings);
  const auto resident = make(settings);
  settings.run.mode = Mode::Graph;
  const auto captured = make(settings);
  std::vector<SamplePlan> plans;
  for (std::int32_t i = 0; i < kBatch * kStepsPerEpoch; ++i)
    plans.push_back({.image = i, .height = kSide, .width = kSide});
  for (Trainer* const trainer : {resident.get(), captured.get()}) {
    trainer->keep_images(array, {.geometry = TransformOptions::Geometry::RandomCrop, .size = kSide},
                         {.batch = kBatch, .steps_per_epoch = kStepsPerEpoch});
    trainer->begin_epoch(plans);
  }
  for (int step = 0; step < 6; ++step) {
    take_step(*fed, content, step);
    const TrainTotals expected = fed->take_totals();
    for (Trainer* const trainer : {resident.get(), captured.get()}) {
      trainer->upload({}, 0);
      trainer->step();
      const TrainTotals found = trainer->take_totals();
      EXPECT_NEAR(found.loss, expected.loss, 1e-4 * expected.loss) << step;
      EXPECT_EQ(found.samples, expected.samples);
    }
  }
}

TEST_F(CudaTrainerTest, ABadLossIsSkippedInAGraphToo) {
  const std::vector<float> poison(kBatch * kSide * kSide * 3, NAN);
  const std::vector<std::int64_t> labels(kBatch, 1);
  const auto floats = make(settings_of(Precision::Bf16, Mode::Graph));
  for (int step = 0; step < 6; ++step) {
    floats->upload({.pixels = reinterpret_cast<const std::byte*>(poison.data()),
                    .height = kSide,
                    .width = kSide,
                    .labels = labels.data(),
                    .count = kBatch},
                   0);
    floats->step();
  }
  const TrainTotals totals = floats->take_totals();
  EXPECT_EQ(totals.bad_steps, 6);
  EXPECT_EQ(totals.first_bad_step, 0);
}

TEST_F(CudaTrainerTest, Fp16ScalesItsGradients) {
  const auto content = images();
  const auto trainer = make(settings_of(Precision::Fp16, Mode::Graph));
  for (int step = 0; step < 20; ++step) take_step(*trainer, content, step);
  const TrainTotals totals = trainer->take_totals();
  EXPECT_TRUE(std::isfinite(totals.loss));
  EXPECT_NE(find(trainer->state(), "scaler"), nullptr);
}

TEST_F(CudaTrainerTest, PhasesOfEagerStepsAddUp) {
  const auto content = images();
  const auto trainer = make(settings_of(Precision::Bf16, Mode::Eager));
  for (int step = 0; step < 40; ++step) take_step(*trainer, content, step);
  const TrainTimes times = trainer->take_times();
  EXPECT_EQ(times.steps, 40);
  EXPECT_NEAR((times.forward + times.backward + times.optimizer).count(), times.busy.count(),
              0.01 * times.busy.count());
}

}  // namespace
}  // namespace ridgeline
