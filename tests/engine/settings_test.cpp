#include "engine/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

TEST(SettingsWordsTest, EveryValueHasAWordThatIsReadBack) {
  for (const auto value :
       {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::Fp16, Precision::Bf16Pure}) {
    EXPECT_EQ(parse_precision(name_of(value)), value);
  }
  for (const auto value : {Mode::Eager, Mode::Graph}) EXPECT_EQ(parse_mode(name_of(value)), value);
  for (const auto value : {Kernels::Plain, Kernels::Fused})
    EXPECT_EQ(parse_kernels(name_of(value)), value);
  for (const auto value : {OptimizerKind::Sgd, OptimizerKind::AdamW, OptimizerKind::Muon})
    EXPECT_EQ(parse_optimizer(name_of(value)), value);
  for (const auto value : {Extent::Inference, Extent::Forward, Extent::Backward, Extent::Step}) {
    EXPECT_EQ(parse_extent(name_of(value)), value);
  }
}

TEST(SettingsWordsTest, TheWordsAreThoseOfTheCommandLine) {
  EXPECT_EQ(name_of(Precision::Bf16Pure), "bf16-pure");
  EXPECT_EQ(name_of(Mode::Graph), "graph");
  EXPECT_EQ(name_of(Kernels::Fused), "fused");
  EXPECT_EQ(name_of(OptimizerKind::AdamW), "adamw");
}

TEST(SettingsWordsTest, AnUnknownWordNamesTheNearestAndAllOthers) {
  const std::string message = message_of(Fault::BadInput, [] { (void)parse_precision("bf15"); });
  EXPECT_THAT(message, HasSubstr("'bf15'"));
  EXPECT_THAT(message, HasSubstr("did you mean 'bf16'"));
  EXPECT_THAT(message, HasSubstr("fp32, tf32, bf16, fp16, bf16-pure"));
  (void)message_of(Fault::BadInput, [] { (void)parse_mode(""); });
  (void)message_of(Fault::BadInput, [] { (void)parse_kernels("FUSED "); });
  (void)message_of(Fault::BadInput, [] { (void)parse_optimizer("adam w"); });
  (void)message_of(Fault::BadInput, [] { (void)parse_extent("everything"); });
}

TEST(DeviceWordsTest, DevicesAreReadAndWritten) {
  EXPECT_EQ(parse_device("cpu"), Device{});
  EXPECT_EQ(parse_device("cuda"), (Device{.kind = DeviceKind::Cuda, .index = 0}));
  EXPECT_EQ(parse_device("cuda:3"), (Device{.kind = DeviceKind::Cuda, .index = 3}));
  EXPECT_EQ(name_of(Device{}), "cpu");
  EXPECT_EQ(name_of(parse_device("cuda:3")), "cuda:3");
}

TEST(DeviceWordsTest, WhatIsNoDeviceIsRefused) {
  for (const char* word : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda:99999999999",
                           "cpu:0", ":1", "cuda:1:2"}) {
    EXPECT_FALSE(message_of(Fault::BadInput, [&] { (void)parse_device(word); }).empty()) << word;
  }
}

}  // namespace
}  // namespace ridgeline
