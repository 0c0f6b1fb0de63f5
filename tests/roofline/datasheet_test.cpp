#include "roofline/datasheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

TEST(DatasheetTest, EverySheetIsWholeAndPlausible) {
  for (const std::string_view name : datasheet_names()) {
    const Ceilings sheet = datasheet(name);
    EXPECT_EQ(sheet.machine, name);
    EXPECT_THAT(sheet.source, testing::HasSubstr("NVIDIA")) << name;
    const double fp32 = sheet.of(ComputePath::Fp32).value().value;
    const double bandwidth = sheet.of(MemoryLevel::Dram).value().value;
    const double fp16 = sheet.of(ComputePath::TensorFp16).value().value;
    EXPECT_GT(fp32, 5e12) << name;
    EXPECT_LT(fp32, 200e12) << name;
    EXPECT_GE(fp16 / fp32, 1.9) << name;  // what tensor cores are for
    EXPECT_GT(bandwidth, 250e9) << name;
    EXPECT_LT(bandwidth, 10e12) << name;
    if (const auto tf32 = sheet.of(ComputePath::TensorTf32)) {
      EXPECT_NEAR(tf32->value / fp16, 0.5, 0.01) << name;
    }
  }
}

TEST(DatasheetTest, KnownNumbersAreDense) {
  EXPECT_DOUBLE_EQ(datasheet("H100-SXM").of(ComputePath::TensorBf16)->value, 989e12);
  EXPECT_DOUBLE_EQ(datasheet("A100-40GB").of(MemoryLevel::Dram)->value, 1555e9);
  EXPECT_DOUBLE_EQ(datasheet("L4").of(ComputePath::Fp32)->value, 30.3e12);
  EXPECT_DOUBLE_EQ(datasheet("L4").of(MemoryLevel::Dram)->value, 300e9);
  EXPECT_FALSE(datasheet("V100-SXM2").of(ComputePath::TensorBf16));
}

TEST(DatasheetTest, SpellingDoesNotMatter) {
  EXPECT_EQ(datasheet("nvidia l4").machine, "L4");
  EXPECT_EQ(datasheet("h100 pcie").machine, "H100-PCIe");
  EXPECT_EQ(datasheet("RTX4090").machine, "RTX-4090");
  EXPECT_EQ(datasheet("a100").machine, "A100-80GB-SXM");
}

TEST(DatasheetTest, NamesThatDriversGiveAreKnown) {
  EXPECT_EQ(datasheet_of_device("NVIDIA A100-SXM4-40GB")->machine, "A100-40GB");
  EXPECT_EQ(datasheet_of_device("NVIDIA H100 80GB HBM3")->machine, "H100-SXM");
  EXPECT_EQ(datasheet_of_device("NVIDIA H200")->machine, "H200");
  EXPECT_EQ(datasheet_of_device("Tesla T4")->machine, "T4");
  EXPECT_EQ(datasheet_of_device("NVIDIA GeForce RTX 4090")->machine, "RTX-4090");
  EXPECT_FALSE(datasheet_of_device("Some Other Card"));
  EXPECT_FALSE(datasheet_of_device(""));
}

TEST(DatasheetTest, AnUnknownNameIsAnsweredWithTheNearest) {
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)datasheet("H20O"); }),
              testing::HasSubstr("did you mean 'H200'"));
}

}  // namespace
}  // namespace ridgeline
