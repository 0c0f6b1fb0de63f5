#include "train/saver.h"

#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "fake_training.h"

namespace ridgeline {
namespace {

TEST(SaverTest, WhatCouldNotBeWrittenBehindTheTrainingIsWrittenAgain) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  folder.put("run", "a file, where the folder should be");
  FakeTrainer trainer;
  Saver saver(trainer, {.folder = run}, {.model = "net", .steps_per_epoch = 1},
              {.kind = DeviceKind::Cuda});
  saver.save_last({.step = 1});
  EXPECT_THROW(saver.finish(), Error);
  std::filesystem::remove(run);
  std::filesystem::create_directory(run);
  saver.rescue({.state = {.step = 1}, .total = {.steps = 1}});
  EXPECT_TRUE(std::filesystem::exists(run / "net_last.pt"));
}

}  // namespace
}  // namespace ridgeline
