#include "train/checkpoint.h"

#include <algorithm>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "data/array_view.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

constexpr LoopState kState{.step = 25,
                           .best_accuracy = 71.5,
                           .epoch_loss_sum = 12.25,
                           .epoch_correct = 30,
                           .epoch_samples = 40};
const CheckpointFacts kFacts{
    .model = "resnet18", .seed = 7, .steps_per_epoch = 10, .total_steps = 100};

Value trainer_state() { return {Dict{{std::string("model"), Value{Dict{}}}}}; }

TEST(TrainCheckpointTest, TheWholePlaceComesBack) {
  const ResumePoint point =
      read_checkpoint(make_checkpoint(trainer_state(), kState, kFacts), kFacts);
  EXPECT_EQ(point.state.step, 25);
  EXPECT_DOUBLE_EQ(point.state.best_accuracy, 71.5);
  EXPECT_DOUBLE_EQ(point.state.epoch_loss_sum, 12.25);
  EXPECT_EQ(point.state.epoch_correct, 30);
  EXPECT_EQ(point.state.epoch_samples, 40);
  EXPECT_TRUE(point.note.empty());
  EXPECT_FALSE(point.state.best_loss);
}

TEST(TrainCheckpointTest, ATestThatIsDueComesBack) {
  LoopState state = kState;
  state.test_is_due = true;
  EXPECT_TRUE(
      read_checkpoint(make_checkpoint(trainer_state(), state, kFacts), kFacts).state.test_is_due);
  state.step = 0;  // there is nothing to test yet
  EXPECT_FALSE(
      read_checkpoint(make_checkpoint(trainer_state(), state, kFacts), kFacts).state.test_is_due);
}

TEST(TrainCheckpointTest, TheLowestLossOfALanguageModelComesBack) {
  LoopState state = kState;
  state.best_loss = 1.25;
  EXPECT_EQ(
      read_checkpoint(make_checkpoint(trainer_state(), state, kFacts), kFacts).state.best_loss,
      1.25);
}

TEST(TrainCheckpointTest, ItHasTheKeysOfPythonsScripts) {
  const Value value = make_checkpoint(trainer_state(), kState, kFacts);
  EXPECT_EQ(std::get<std::int64_t>(find(value, "epoch")->held), 2);
  EXPECT_DOUBLE_EQ(std::get<double>(find(value, "best_acc")->held), 71.5);
  EXPECT_NE(find(value, "scheduler"), nullptr);
}

TEST(TrainCheckpointTest, APythonCheckpointGoesOnAtItsEpoch) {
  const Value value{Dict{{std::string("model"), Value{Dict{}}},
                         {std::string("epoch"), Value{std::int64_t{3}}},
                         {std::string("best_acc"), Value{66.0}}}};
  const ResumePoint point = read_checkpoint(value, kFacts);
  EXPECT_EQ(point.state.step, 30);
  EXPECT_DOUBLE_EQ(point.state.best_accuracy, 66);
  EXPECT_THAT(point.note, HasSubstr("not written by Ridgeline"));
}

TEST(TrainCheckpointTest, NumbersOfPythonMayBeTensors) {
  const auto tensor = [](auto number, DType dtype) {
    return Value{own_copy(dtype, {}, std::as_bytes(std::span(&number, 1)))};
  };
  const auto read = [&](const Value& epoch, const Value& best) {
    return read_checkpoint({Dict{{std::string("model"), Value{Dict{}}},
                                 {std::string("epoch"), epoch},
                                 {std::string("best_acc"), best}}},
                           kFacts);
  };
  const ResumePoint point = read(tensor(std::int64_t{3}, DType::I64), tensor(66.5F, DType::F32));
  EXPECT_EQ(point.state.step, 30);
  EXPECT_DOUBLE_EQ(point.state.best_accuracy, 66.5);
  EXPECT_DOUBLE_EQ(
      read(tensor(std::int32_t{3}, DType::I32), tensor(66.5, DType::F64)).state.best_accuracy,
      66.5);
  const ResumePoint without = read(Value{std::int64_t{3}}, Value{std::string("high")});
  EXPECT_LT(without.state.best_accuracy, 0);
  EXPECT_THAT(without.note, HasSubstr("its best_acc is no number and is left out"));
}

TEST(TrainCheckpointTest, AnotherModelIsRefusedByName) {
  const Value value = make_checkpoint(trainer_state(), kState, kFacts);
  EXPECT_THAT(
      message_of(
          Fault::BadInput,
          [&] { (void)read_checkpoint(value, {.model = "resnet34", .steps_per_epoch = 10}); }),
      HasSubstr("of resnet18, not of resnet34"));
}

TEST(TrainCheckpointTest, AModelThatComputesSomethingElseIsRefusedByWhatDiffers) {
  CheckpointFacts before = kFacts;
  before.architecture = {{"num_heads", "4"}, {"rope", "interleaved"}};
  const Value value = make_checkpoint(trainer_state(), kState, before);
  EXPECT_EQ(read_checkpoint(value, before).state.step, 25);
  CheckpointFacts now = kFacts;
  now.architecture = {{"num_heads", "8"}, {"rope", "half"}, {"added_later", "1"}};
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_checkpoint(value, now); }),
              HasSubstr("another resnet18: num_heads was 4, is 8; rope was interleaved, is half"));
}

TEST(TrainCheckpointTest, AFileFromBeforeModelsWereDescribedIsTakenUp) {
  Value value = make_checkpoint(trainer_state(), kState, kFacts);
  auto& whole = std::get<Dict>(value.held);
  const auto is = [](const char* name) {
    return [name](const auto& entry) { return entry.first == Key(std::string(name)); };
  };
  auto& ours = std::get<Dict>(std::ranges::find_if(whole, is("ridgeline"))->second.held);
  std::erase_if(ours, is("architecture"));
  CheckpointFacts now = kFacts;
  now.architecture = {{"num_heads", "8"}};
  EXPECT_EQ(read_checkpoint(value, now).state.step, 25);
}

TEST(TrainCheckpointTest, EpochsOfAnotherLengthAreTakenUpOnlyAtTheirBounds) {
  const CheckpointFacts longer{.model = "resnet18", .seed = 7, .steps_per_epoch = 20};
  (void)message_of(Fault::BadInput, [&] {
    (void)read_checkpoint(make_checkpoint(trainer_state(), kState, kFacts), longer);
  });
  const Value whole = make_checkpoint(trainer_state(), {.step = 30}, kFacts);
  EXPECT_EQ(read_checkpoint(whole, longer).state.step, 60);
}

TEST(TrainCheckpointTest, WhatChangedOfTheRecipeIsSaid) {
  CheckpointFacts before = kFacts;
  before.recipe = {{"optimizer.learning_rate", "0.1"},
                   {"optimizer.momentum", "0.9"},
                   {"training.ema_decay", "0.99"}};
  const Value value = make_checkpoint(trainer_state(), kState, before);
  EXPECT_EQ(read_checkpoint(value, before).note, "");
  CheckpointFacts now = kFacts;
  now.recipe = {{"optimizer.learning_rate", "0.05"},
                {"optimizer.momentum", "0.9"},
                {"optimizer.eps", "1e-08"}};
  EXPECT_EQ(read_checkpoint(value, now).note,
            "optimizer.learning_rate was 0.1, is 0.05; optimizer.eps was not set, is 1e-08; "
            "training.ema_decay is no longer set");
  EXPECT_EQ(read_checkpoint(make_checkpoint(trainer_state(), kState, kFacts), kFacts).note, "");
}

TEST(TrainCheckpointTest, ANameWithoutItsFamilyIsThatOfAnEarlierVersion) {
  CheckpointFacts short_name = kFacts;
  short_name.model = "32x1";
  CheckpointFacts whole_name = kFacts;
  whole_name.model = "tiny-llama-32x1";
  EXPECT_EQ(
      read_checkpoint(make_checkpoint(trainer_state(), kState, short_name), whole_name).state.step,
      25);
}

TEST(TrainCheckpointTest, AnotherSeedOrLengthIsSaid) {
  const Value value = make_checkpoint(trainer_state(), kState, kFacts);
  CheckpointFacts other = kFacts;
  other.seed = ~std::uint64_t{0};
  other.total_steps = 200;
  const ResumePoint point = read_checkpoint(value, other);
  EXPECT_THAT(point.note, HasSubstr("seed"));
  EXPECT_THAT(point.note, HasSubstr("length"));
}

TEST(TrainCheckpointTest, AnotherHoldOutIsRefused) {
  CheckpointFacts held_out = kFacts;
  held_out.hold_out = 500;
  const Value value = make_checkpoint(trainer_state(), kState, held_out);
  EXPECT_EQ(read_checkpoint(value, held_out).state.step, 25);
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_checkpoint(value, kFacts); }),
              HasSubstr("held out 500 training images or tokens, this one 0"));
  const Value without = make_checkpoint(trainer_state(), kState, kFacts);
  (void)message_of(Fault::BadInput, [&] { (void)read_checkpoint(without, held_out); });
}

TEST(TrainCheckpointTest, OtherDataIsSaidAndInsideAnEpochRefused) {
  CheckpointFacts before = kFacts;
  before.data = "CIFAR-10, sum 1";
  CheckpointFacts now = kFacts;
  now.data = "synthetic, sum 2";
  const Value inside = make_checkpoint(trainer_state(), kState, before);
  EXPECT_EQ(read_checkpoint(inside, before).note, "");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)read_checkpoint(inside, now); }),
              HasSubstr("inside an epoch of other data: the data was CIFAR-10, sum 1; is "
                        "synthetic, sum 2"));
  const Value between = make_checkpoint(trainer_state(), {.step = 30}, before);
  EXPECT_EQ(read_checkpoint(between, now).note,
            "the data was CIFAR-10, sum 1; is synthetic, sum 2");
}

TEST(TrainCheckpointTest, AnySeedComesBack) {
  CheckpointFacts facts = kFacts;
  facts.seed = ~std::uint64_t{0} - 5;
  EXPECT_TRUE(read_checkpoint(make_checkpoint(trainer_state(), kState, facts), facts).note.empty());
}

TEST(TrainCheckpointTest, AnAccuracyThatWasNotMeasuredIsNotThere) {
  const Value value = make_checkpoint(trainer_state(), {.step = 3}, kFacts);
  EXPECT_EQ(find(value, "best_acc"), nullptr);
  EXPECT_LT(read_checkpoint(value, kFacts).state.best_accuracy, 0);
}

TEST(TrainCheckpointTest, WeightsAloneAreNoCheckpoint) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)read_checkpoint({Dict{}}, kFacts); }),
              HasSubstr("--weights"));
}

TEST(TrainCheckpointTest, CountsThatAreNoneAreRefused) {
  for (const Value& epoch : {Value{-1.0}, Value{1e300}, Value{0.5}, Value{std::string("3")}}) {
    const Value value{Dict{{std::string("model"), Value{Dict{}}}, {std::string("epoch"), epoch}}};
    (void)message_of(Fault::BadInput, [&] { (void)read_checkpoint(value, kFacts); });
  }
}

}  // namespace
}  // namespace ridgeline
