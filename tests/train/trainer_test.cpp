#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "data/array_view.h"
#include "train/small_training.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> floats(const Array& array) {
  std::vector<float> values(array.bytes.size() / sizeof(float));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST(TrainerTest, TheLossOfABatchSeenOftenFalls) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.05));
  const Images images(1);
  trainer->upload(images.batch(), 0);
  trainer->step();
  const double first = trainer->take_totals().loss;
  for (int i = 0; i < 10; ++i) {
    trainer->upload(images.batch(), 0);
    trainer->step();
  }
  (void)trainer->take_totals();
  trainer->upload(images.batch(), 0);
  trainer->step();
  const TrainTotals last = trainer->take_totals();
  EXPECT_LT(last.loss, first / 2);
  EXPECT_EQ(last.samples, 4);
}

TEST(TrainerTest, AResumedRunHasTheBitsOfTheWholeOne) {
  for (const OptimizerKind kind :
       {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW, OptimizerKind::Muon}) {
    TrainSettings settings = settings_of(kind, 0.01);
    settings.ema_decay = 0.9;
    settings.clip_norm = 1;
    const auto whole = make(small_resnet(), settings);
    take_steps(*whole, 4);
    const auto first = make(small_resnet(), settings);
    take_steps(*first, 2);
    const Value state = first->state();
    settings.run.seed = 99;  // other fresh weights, which the restored ones replace
    const auto second = make(small_resnet(), settings);
    second->restore(state, 2);
    take_steps(*second, 2, 2);
    EXPECT_EQ(all_bytes(*whole), all_bytes(*second)) << name_of(kind);
    EXPECT_EQ(second->steps_taken(), 4);
  }
}

TEST(TrainerTest, MicroBatchesGiveTheGradientsOfTheirUnion) {
  const Rows rows(3, 4);
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  const auto together = make(small_llama(), settings);
  together->upload(rows.batch(0, 4), 0);
  together->step();
  settings.run.accumulation = 2;
  const auto apart = make(small_llama(), settings);
  apart->upload(rows.batch(0, 2), 0);
  apart->upload(rows.batch(2, 2), 1);
  apart->step();
  const NamedArrays a = together->weights();
  const NamedArrays b = apart->weights();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = floats(a[i].second);
    const auto y = floats(b[i].second);
    for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(x[j], y[j], 1e-6) << a[i].first;
  }
}

TEST(TrainerTest, ABadLossChangesNoWeightAndIsCounted) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  settings.survive_bad_steps = true;
  const auto trainer = make(small_resnet(), settings);
  take_steps(*trainer, 2);
  (void)trainer->take_totals();
  const std::string before = all_bytes(*trainer);
  Images poisoned(5);
  poisoned.pixels[7] = std::numeric_limits<float>::quiet_NaN();
  trainer->upload(poisoned.batch(), 0);
  trainer->step();
  const TrainTotals totals = trainer->take_totals();
  EXPECT_EQ(totals.bad_steps, 1);
  EXPECT_EQ(totals.first_bad_step, 2);
  EXPECT_EQ(all_bytes(*trainer), before);
  take_steps(*trainer, 1);
  EXPECT_TRUE(std::isfinite(trainer->take_totals().loss));
}

TEST(TrainerTest, TheRateOfEachStepIsTheTables) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1, 2);
  settings.learning_rates = {0.F, 0.1F};
  settings.optimizer.weight_decay = 0;
  const auto trainer = make(small_llama(), settings);
  const Rows rows(1);
  const std::string start = all_bytes(*trainer);
  trainer->upload(rows.batch(0, 4), 0);
  trainer->step();
  EXPECT_EQ(all_bytes(*trainer), start);
  trainer->upload(rows.batch(0, 4), 0);
  trainer->step();
  EXPECT_NE(all_bytes(*trainer), start);
}

TEST(TrainerTest, TheAverageFollowsTheWeights) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  const auto plain = make(small_llama(), settings);
  settings.ema_decay = 0.75;
  const auto averaged = make(small_llama(), settings);
  const Rows rows(2);
  const auto start = floats(plain->weights()[0].second);
  plain->upload(rows.batch(0, 4), 0);
  plain->step();
  averaged->upload(rows.batch(0, 4), 0);
  averaged->step();
  const auto after = floats(plain->weights()[0].second);
  const auto average = floats(averaged->weights()[0].second);
  for (std::size_t i = 0; i < start.size(); ++i)
    ASSERT_NEAR(average[i], 0.75F * start[i] + 0.25F * after[i], 1e-6);
}

TEST(TrainerTest, SmoothingCountsTheOtherClassesToo) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  const auto plain = make(small_resnet(), settings);
  settings.label_smoothing = 0.3;
  const auto smoothed = make(small_resnet(), settings);
  const Images images(4);
  plain->begin_evaluation();
  plain->end_evaluation();
  plain->upload(images.batch(), 0);
  plain->step();
  smoothed->upload(images.batch(), 0);
  smoothed->step();
  // (1 - s) CE + s mean of -log p over classes: differs from CE, and evaluation leaves it out.
  EXPECT_NE(plain->take_totals().loss, smoothed->take_totals().loss);
}

TEST(TrainerTest, EvaluationCountsHitsAndLeavesTheModelAlone) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  take_steps(*trainer, 1);
  (void)trainer->take_totals();
  const std::string before = all_bytes(*trainer);
  Images images(9);
  trainer->begin_evaluation();
  const std::vector<float> logits = trainer->predict(images.batch());
  for (std::size_t i = 0; i < kBatch; ++i) {
    const auto* const row = logits.data() + 3 * i;
    images.labels[i] = std::max_element(row, row + 3) - row;
  }
  trainer->evaluate(images.batch());
  trainer->end_evaluation();
  EXPECT_EQ(trainer->take_totals().correct, 4);
  EXPECT_EQ(all_bytes(*trainer), before);
}

TEST(TrainerTest, AMirroredTestSaysTheSameOfAnImageAndItsMirrorImage) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  settings.mirror_test = true;
  const auto trainer = make(small_resnet(), settings);
  take_steps(*trainer, 1);
  const Images images(9);
  Images mirrored = images;
  for (std::size_t row = 0; row < kBatch * kSize; ++row) {
    for (std::size_t x = 0; x < kSize; ++x)
      std::copy_n(&images.pixels[3 * (row * kSize + x)], 3,
                  &mirrored.pixels[3 * (row * kSize + kSize - 1 - x)]);
  }
  trainer->begin_evaluation();
  const std::vector<float> one = trainer->predict(images.batch());
  const std::vector<float> other = trainer->predict(mirrored.batch());
  trainer->end_evaluation();
  const std::vector<float> outside = trainer->predict(images.batch());
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], other[i], 1e-5);
  EXPECT_NE(one, outside) << "only tests look at mirror images";
}

TEST(TrainerTest, ATestLossThatIsNotFiniteDoesNotReachTheNextStep) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  Images poisoned(5);
  poisoned.pixels[3] = std::numeric_limits<float>::infinity();
  trainer->begin_evaluation();
  trainer->evaluate(poisoned.batch());
  trainer->end_evaluation();
  const TrainTotals tested = trainer->take_totals();
  EXPECT_EQ(tested.bad_samples, 4);
  EXPECT_EQ(tested.samples, 0);
  take_steps(*trainer, 1);
  const TrainTotals trained = trainer->take_totals();
  EXPECT_EQ(trained.bad_steps, 0);
  EXPECT_EQ(trained.samples, 4);
}

TEST(TrainerTest, AStateWithoutAnAverageStartsOneAtTheWeights) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  const auto plain = make(small_resnet(), settings);
  take_steps(*plain, 2);
  settings.ema_decay = 0.9;
  const auto averaged = make(small_resnet(), settings);
  averaged->restore(plain->state(), 2);
  EXPECT_EQ(all_bytes(*averaged), all_bytes(*plain));
}

TEST(TrainerTest, ASmallerLastBatchIsItself) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  take_steps(*trainer, 1);
  HostBatch batch = Images(1).batch();
  const Images images(1);
  batch = images.batch();
  batch.count = 3;
  (void)trainer->take_totals();
  trainer->upload(batch, 0);
  trainer->step();
  EXPECT_EQ(trainer->take_totals().samples, 3);
}

TEST(TrainerTest, BytesAreNormalisedAsFloatsWouldBe) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  settings.normalisation = kCifarNormalisation;
  const auto trainer = make(small_resnet(), settings);
  std::vector<std::uint8_t> bytes(kBatch * kSize * kSize * 3);
  Images images(1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(i * 37 % 256);
    const std::size_t c = i % 3;
    images.pixels[i] = (static_cast<float>(bytes[i]) / 255.F - kCifarNormalisation.mean[c]) /
                       kCifarNormalisation.std[c];
  }
  HostBatch raw = images.batch();
  raw.pixels = reinterpret_cast<const std::byte*>(bytes.data());
  raw.pixel_type = TransformOptions::Output::Bytes;
  trainer->begin_evaluation();
  const auto from_bytes = trainer->predict(raw);
  const auto from_floats = trainer->predict(images.batch());
  trainer->end_evaluation();
  for (std::size_t i = 0; i < from_bytes.size(); ++i)
    EXPECT_NEAR(from_bytes[i], from_floats[i], 1e-4);
}

TEST(TrainerTest, AHeadOfOtherSizeIsLeftFreshAndSaid) {
  const auto three = make(small_resnet(3), settings_of(OptimizerKind::Sgd, 0.1));
  take_steps(*three, 1);
  const auto five = make(small_resnet(5), settings_of(OptimizerKind::Sgd, 0.1));
  const LoadedWeights report = five->load_weights(three->weights());
  EXPECT_THAT(report.reinitialised, ElementsAre("linear.weight", "linear.bias"));
  EXPECT_EQ(floats(five->weights()[0].second), floats(three->weights()[0].second));
}

TEST(TrainerTest, HalfAHeadIsNotMixedWithAFreshOne) {
  const auto three = make(small_resnet(3), settings_of(OptimizerKind::Sgd, 0.1));
  const auto five = make(small_resnet(5), settings_of(OptimizerKind::Sgd, 0.1));
  const NamedArrays fresh = five->weights();
  NamedArrays weights = three->weights();
  const auto index_of = [&](const std::string& name) {
    return std::ranges::find(weights, name, &NamedArrays::value_type::first) - weights.begin();
  };
  const auto bias = static_cast<std::size_t>(index_of("linear.bias"));
  const std::vector<float> ones(5, 1.F);
  weights[bias].second = own_copy(DType::F32, {5}, std::as_bytes(std::span(ones)));
  EXPECT_THAT(five->load_weights(weights).reinitialised,
              ElementsAre("linear.weight", "linear.bias"));
  EXPECT_EQ(floats(five->weights()[bias].second), floats(fresh[bias].second));
}

TEST(TrainerTest, WeightsOfAnotherModelAreRefusedByName) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  NamedArrays weights = trainer->weights();
  weights.erase(weights.begin());
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)trainer->load_weights(weights); }),
              HasSubstr("conv1.weight"));
}

TEST(TrainerTest, AStateOfAnotherModelChangesNothing) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  const auto other = make(small_resnet(5), settings_of(OptimizerKind::Sgd, 0.1));
  const std::string before = all_bytes(*trainer);
  (void)message_of(Fault::BadInput, [&] { trainer->restore(other->state(), 1); });
  EXPECT_EQ(all_bytes(*trainer), before);
}

TEST(TrainerTest, ATensorThatTheModelHasNoPlaceForIsRefusedByName) {
  const auto untied = [] {
    auto spec = std::get<TransformerSpec>(small_llama());
    spec.tied = false;
    return spec;
  }();
  const TrainSettings settings = settings_of(OptimizerKind::AdamW, 0.1);
  const auto tied = make(small_llama(), settings);
  EXPECT_THAT(
      message_of(Fault::BadInput, [&] { tied->restore(make(untied, settings)->state(), 1); }),
      HasSubstr("this one has no 'output_proj.weight'"));
}

TEST(TrainerTest, ATiedWeightMayStandTwiceInAFileAsPythonWritesIt) {
  const auto trainer = make(small_llama(), settings_of(OptimizerKind::AdamW, 0.1));
  Value state = trainer->state();
  auto& whole = std::get<Dict>(state.held);
  auto& model = std::get<Dict>(whole.front().second.held);
  model.emplace_back(std::string("output_proj.weight"), model.front().second);
  trainer->restore(state, 3);
  EXPECT_EQ(trainer->steps_taken(), 3);
}

TEST(TrainerTest, TheStateHasTorchsNamesAndOrder) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  const Value state = trainer->state();
  const auto& model = std::get<Dict>(find(state, "model")->held);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 7; ++i) names.push_back(std::get<std::string>(model[i].first));
  EXPECT_THAT(names,
              ElementsAre("conv1.weight", "bn1.weight", "bn1.bias", "bn1.running_mean",
                          "bn1.running_var", "bn1.num_batches_tracked", "layer1.0.conv1.weight"));
  const Value* const momentum = find(*find(state, "optimizer"), "state");
  ASSERT_NE(momentum, nullptr);
  EXPECT_NE(find(*find(*momentum, 0), "momentum_buffer"), nullptr);
}

TEST(TrainerTest, PhasesAddUpToTheStep) {
  const auto trainer = make(small_resnet(), settings_of(OptimizerKind::Sgd, 0.1));
  take_steps(*trainer, 3);
  const TrainTimes times = trainer->take_times();
  EXPECT_EQ(times.steps, 3);
  EXPECT_NEAR((times.forward + times.backward + times.optimizer).count(), times.busy.count(), 1e-9);
}

TEST(TrainerTest, GraphModeOnACpuIsRefusedWithItsReason) {
  TrainSettings settings = settings_of(OptimizerKind::Sgd, 0.1);
  settings.run.mode = Mode::Graph;
  (void)message_of(Fault::Device, [&] { (void)make(small_resnet(), settings); });
}

}  // namespace
}  // namespace ridgeline
