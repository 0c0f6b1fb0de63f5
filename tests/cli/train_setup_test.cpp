#include "cli/train_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

constexpr Device kCpu{};
constexpr Device kGpu{.kind = DeviceKind::Cuda, .index = 0};

TrainFlags flags_for(const std::string& model) {
  TrainFlags flags;
  flags.workload.model = model;
  return flags;
}

TEST(TrainSetupTest, ImagesGetTheRecipeOfTheCifarWorkflow) {
  const TrainSetup setup = resolve(flags_for("resnet18"), kCpu);
  EXPECT_TRUE(setup.images);
  EXPECT_EQ(setup.epochs, 80);
  EXPECT_EQ(setup.optimizer.kind, OptimizerKind::Sgd);
  EXPECT_TRUE(setup.optimizer.nesterov);
  EXPECT_DOUBLE_EQ(setup.optimizer.learning_rate, 0.1);
  EXPECT_DOUBLE_EQ(setup.optimizer.weight_decay, 5e-4);
  EXPECT_EQ(setup.schedule.kind, ScheduleKind::Cosine);
  EXPECT_EQ(setup.schedule.warmup_steps, 500);
  EXPECT_EQ(setup.loader.batch_size, 128U);
  EXPECT_EQ(setup.train_transform.geometry, TransformOptions::Geometry::RandomCrop);
  EXPECT_EQ(setup.train_transform.padding, 4);
  EXPECT_FLOAT_EQ(setup.train_transform.normalisation.mean[0], .4914F);
  EXPECT_DOUBLE_EQ(setup.test_transform.flip, 0);
}

TEST(TrainSetupTest, LanguageModelsGetTheWorkshopsRecipe) {
  const TrainSetup setup = resolve(flags_for("tiny-llama"), kCpu);
  EXPECT_FALSE(setup.images);
  EXPECT_EQ(setup.schedule.total_steps, 50);
  EXPECT_EQ(setup.optimizer.kind, OptimizerKind::AdamW);
  EXPECT_DOUBLE_EQ(setup.optimizer.learning_rate, 3e-4);
  EXPECT_DOUBLE_EQ(setup.optimizer.weight_decay, 0.01);
  EXPECT_EQ(setup.schedule.kind, ScheduleKind::Constant);
}

TEST(TrainSetupTest, MuonHasItsOwnFlagsAndTheFamilysOptimizerBesideIt) {
  TrainFlags flags = flags_for("resnet18");
  flags.optimizer = "muon";
  flags.learning_rate = 0.4;
  const TrainSetup images = resolve(flags, kCpu);
  EXPECT_EQ(images.optimizer.rest, OptimizerKind::Sgd);
  EXPECT_DOUBLE_EQ(images.optimizer.learning_rate, 0.4);
  EXPECT_DOUBLE_EQ(images.optimizer.muon_learning_rate, 0.02);
  EXPECT_DOUBLE_EQ(images.optimizer.muon_weight_decay, 0.1);
  EXPECT_DOUBLE_EQ(images.optimizer.muon_momentum, 0.95);
  flags = flags_for("tiny-llama");
  flags.optimizer = "muon";
  EXPECT_EQ(resolve(flags, kCpu).optimizer.rest, OptimizerKind::AdamW);
  flags.muon_learning_rate = 0;
  (void)message_of(Fault::BadInput, [&] { (void)resolve(flags, kCpu); });
  flags = flags_for("resnet18");
  flags.muon_momentum = 0.9;
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)resolve(flags, kCpu); }),
              HasSubstr("--optimizer muon"));
}

TEST(TrainSetupTest, ImagesAndTextCanBeHeldOutAndRandomRowsCannot) {
  TrainFlags flags = flags_for("resnet18");
  EXPECT_EQ(judged(resolve(flags, kCpu)), "test");
  flags.data.hold_out = 100;
  EXPECT_EQ(resolve(flags, kCpu).hold_out, 100U);
  EXPECT_EQ(judged(resolve(flags, kCpu)), "held-out");
  flags = flags_for("tiny-llama");
  flags.data.hold_out = 100;
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)resolve(flags, kCpu); }),
              HasSubstr("--hold-out means nothing"));
  flags.data.text = "text";
  EXPECT_EQ(resolve(flags, kCpu).hold_out, 100U);
}

TEST(TrainSetupTest, FlagsThatNothingListensToAreRefused) {
  const auto refused = [](const TrainFlags& flags) {
    return message_of(Fault::BadInput, [&] { (void)resolve(flags, kCpu); });
  };
  TrainFlags flags = flags_for("tiny-llama");
  flags.momentum = 0.8;
  EXPECT_THAT(refused(flags), HasSubstr("--momentum and --no-nesterov are of sgd, this is adamw"));
  flags.optimizer = "muon";
  EXPECT_THAT(refused(flags), HasSubstr("muon beside adamw"));
  flags = flags_for("resnet18");
  flags.momentum = 0.8;
  flags.optimizer = "muon";
  (void)resolve(flags, kCpu);
  flags = flags_for("resnet18");
  flags.drop_every = 30;
  EXPECT_THAT(refused(flags), HasSubstr("for --schedule step"));
  flags.schedule = "step";
  (void)resolve(flags, kCpu);
  flags = flags_for("resnet18");
  flags.profile_iters = 2;
  EXPECT_THAT(refused(flags), HasSubstr("for --profile-one-step"));
  flags.profile_iters = 1;
  flags.warmup_iters = 20;
  (void)resolve(flags, kCpu);
}

TEST(TrainSetupTest, TheCifarFamilyWantsImageNetsNormalisation) {
  const TrainSetup setup = resolve(flags_for("resnet20"), kCpu);
  EXPECT_FLOAT_EQ(setup.train_transform.normalisation.mean[0], .485F);
}

TEST(TrainSetupTest, MeanAndStdReplaceTheModels) {
  TrainFlags flags = flags_for("resnet18");
  flags.data.mean = {0.1F, 0.2F, 0.3F};
  const TrainSetup setup = resolve(flags, kCpu);
  EXPECT_FLOAT_EQ(setup.test_transform.normalisation.mean[2], 0.3F);
  EXPECT_FLOAT_EQ(setup.test_transform.normalisation.std[2], .2010F);
}

TEST(TrainSetupTest, AmpIsIgnoredOnACpuAndSaysSo) {
  TrainFlags flags = flags_for("resnet18");
  flags.workload.amp = true;
  const TrainSetup cpu = resolve(flags, kCpu);
  EXPECT_EQ(cpu.run.precision, Precision::Fp32);
  ASSERT_EQ(cpu.remarks.size(), 1U);
  EXPECT_THAT(cpu.remarks[0], HasSubstr("--amp"));
  EXPECT_EQ(resolve(flags, kGpu).run.precision, Precision::Fp16);
}

TEST(TrainSetupTest, ACpuHasNoFusedKernelsAndSaysSo) {
  TrainFlags flags = flags_for("resnet18");
  flags.kernels = "fused";
  const TrainSetup cpu = resolve(flags, kCpu);
  EXPECT_EQ(cpu.run.kernels, Kernels::Plain);
  ASSERT_EQ(cpu.remarks.size(), 1U);
  EXPECT_THAT(cpu.remarks[0], HasSubstr("--kernels fused"));
  EXPECT_EQ(resolve(flags, kGpu).run.kernels, Kernels::Fused);
}

TEST(TrainSetupTest, ALargeCropMakesTheModelsImagesLarge) {
  TrainFlags flags = flags_for("resnet18");
  flags.data.transform = "rrc224";
  const TrainSetup setup = resolve(flags, kCpu);
  EXPECT_EQ(std::get<ResNetSpec>(setup.model).image_size, 224);
  EXPECT_EQ(setup.test_transform.geometry, TransformOptions::Geometry::ResizeCenterCrop);
  EXPECT_EQ(setup.test_transform.resize, 256);
}

TEST(TrainSetupTest, BytesGoToAGpuAndFloatsStay) {
  EXPECT_EQ(resolve(flags_for("resnet18"), kGpu).train_transform.output,
            TransformOptions::Output::Bytes);
  EXPECT_EQ(resolve(flags_for("resnet18"), kCpu).train_transform.output,
            TransformOptions::Output::Float);
}

TEST(TrainSetupTest, ACropOfLargerImagesIsTestedFromTheirCentre) {
  TrainFlags flags = flags_for("resnet18");
  flags.data.transform = "crop28";
  flags.data.padding_mode = "reflect";
  const TrainSetup setup = resolve(flags, kCpu);
  EXPECT_EQ(setup.test_transform.geometry, TransformOptions::Geometry::CenterCrop);
  EXPECT_EQ(setup.test_transform.size, 28);
  EXPECT_EQ(setup.test_transform.border, Border::Zeros);
}

TEST(TrainSetupTest, LanguageModelsHaveNoLoaderToSet) {
  const auto refused = [](auto change) {
    TrainFlags flags = flags_for("tiny-llama");
    change(flags.data);
    return message_of(Fault::BadInput, [&] { (void)resolve(flags, kCpu); });
  };
  EXPECT_THAT(refused([](DataFlags& data) { data.workers = 4; }), HasSubstr("--workers"));
  EXPECT_THAT(refused([](DataFlags& data) { data.shuffle = false; }), HasSubstr("--no-shuffle"));
  EXPECT_THAT(refused([](DataFlags& data) { data.std = {1, 1, 1}; }), HasSubstr("--std"));
  EXPECT_THAT(refused([](DataFlags& data) { data.synthetic_images = 9; }),
              HasSubstr("--synthetic-images"));
}

TEST(TrainSetupTest, AResizedModelKeepsItsFamilysName) {
  EXPECT_EQ(resolve(flags_for("resnet18"), kCpu).label, "resnet18");
  TrainFlags flags = flags_for("tiny-llama");
  EXPECT_EQ(resolve(flags, kCpu).label, "tiny-llama");
  flags.workload.d_model = 32;
  flags.workload.num_layers = 1;
  EXPECT_EQ(resolve(flags, kCpu).label, "tiny-llama-32x1");
}

TEST(TrainSetupTest, WhatMakesNoSenseIsRefused) {
  TrainFlags both = flags_for("resnet18");
  both.epochs = 2;
  both.steps = 10;
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)resolve(both, kCpu); }),
              HasSubstr("--steps"));
  TrainFlags graph = flags_for("resnet18");
  graph.mode = "graph";
  graph.data.drop_last = false;
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)resolve(graph, kGpu); }),
              HasSubstr("--drop-last"));
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)resolve(flags_for(""), kCpu); }),
              HasSubstr("train what"));
}

}  // namespace
}  // namespace ridgeline
