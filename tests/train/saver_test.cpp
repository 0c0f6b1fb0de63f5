#include "train/saver.h"

#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "data/torch_file.h"
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

TEST(SaverTest, OnlyAWholeEpochIsKeptUnderItsNumber) {
  const TemporaryFolder folder;
  FakeTrainer trainer;
  Saver saver(trainer, {.folder = folder.path(), .every_epochs = 1},
              {.model = "net", .steps_per_epoch = 2}, {.kind = DeviceKind::Cpu});
  saver.save_epoch({.epoch = 0, .step = 2, .state = {.step = 2}});
  saver.save_epoch({.epoch = 1, .step = 3, .state = {.step = 3}});
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "net_epoch1.pt"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "net_epoch2.pt"));
}

TEST(SaverTest, WhatIsSavedAfterATestReplacesWhatWasSavedBefore) {
  const TemporaryFolder folder;
  FakeTrainer trainer;
  Saver saver(trainer, {.folder = folder.path()}, {.model = "net", .steps_per_epoch = 1},
              {.kind = DeviceKind::Cpu});
  saver.save_last({.step = 1, .test_is_due = true});
  saver.save_last({.step = 1});
  const Value saved = read_torch_file(folder.path() / "net_last.pt");
  EXPECT_FALSE(std::get<bool>(find(*find(saved, "ridgeline"), "test_is_due")->held));
}

TEST(SaverTest, FilesOfAnotherRunAreNamedBeforeTheyAreReplaced) {
  const TemporaryFolder folder;
  const SavePlan plan{.folder = folder.path()};
  EXPECT_TRUE(replaceable(plan, "net").empty());
  for (const char* name : {"net_last.pt", "net_best.pt", "other_last.pt"}) folder.put(name, "");
  EXPECT_EQ(replaceable(plan, "net"),
            (std::vector{folder.path() / "net_best.pt", folder.path() / "net_last.pt"}));
}

TEST(SaverTest, WhatIsNotFiniteReplacesNoFile) {
  const TemporaryFolder folder;
  FakeTrainer trainer;
  Saver saver(trainer, {.folder = folder.path(), .every_epochs = 1},
              {.model = "net", .steps_per_epoch = 1}, {.kind = DeviceKind::Cpu});
  saver.save_last({.step = 1});
  const auto size = std::filesystem::file_size(folder.path() / "net_last.pt");
  trainer.finite = false;
  EXPECT_THROW(saver.save_last({.step = 2}), Error);
  EXPECT_THROW(saver.save_epoch({.best = true, .state = {.step = 2}}), Error);
  EXPECT_THROW(saver.save_weights("final_weights"), Error);
  saver.rescue({.state = {.step = 2}, .total = {.steps = 1}});
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "net_last.pt"), size);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "net_best.pt"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "net_final_weights.pt"));
}

}  // namespace
}  // namespace ridgeline
