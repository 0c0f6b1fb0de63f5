#include <ATen/ATen.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ridgeline/profile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

// The public interface as a program has it: through its header and its library alone.
class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("RIDGELINE_PROFILE");
    options_.out = (folder_.path() / "prof").string();
    options_.wait = 0;
    options_.warmup = 0;
    options_.steps = 2;
    options_.cost_pairs = 0;
    options_.quiet = true;
  }
  [[nodiscard]] nlohmann::json profile_json() const {
    std::ifstream file(folder_.path() / "prof/profile.json");
    return nlohmann::json::parse(file);
  }
  [[nodiscard]] std::int64_t calls(const std::string& name) const {
    const nlohmann::json profile = profile_json();
    for (const auto& op : profile.at("ops")) {
      if (op.at("name") == name) return op.at("calls");
    }
    return 0;
  }
  [[nodiscard]] bool is_written() const {
    return fs::exists(folder_.path() / "prof/trace.json.gz");
  }

  TemporaryFolder folder_;
  ProfileOptions options_;
};

TEST_F(ApiTest, BlocksAreStepsAndWhatLiesBetweenThemBelongsToNone) {
  Profile profile(options_);
  (void)at::ones({2}).abs();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(profile.active());
    {
      const ProfileStep step(profile);
      (void)at::ones({2}).neg();
    }
    (void)at::ones({2}).abs();
  }
  EXPECT_FALSE(profile.active());
  EXPECT_EQ(profile_json().at("steps").size(), 2);
  EXPECT_EQ(calls("aten::neg"), 2);
  EXPECT_EQ(calls("aten::abs"), 0);
}

TEST_F(ApiTest, AStepThatThrowsIsEndedAndWritten) {
  try {
    Profile profile(options_);
    const ProfileStep step(profile);
    (void)at::ones({2, 3}).matmul(at::ones({2, 3}));
    FAIL() << "torch multiplied what does not fit";
  } catch (const std::exception&) {
  }
  ASSERT_TRUE(is_written());
  EXPECT_EQ(profile_json().at("steps").size(), 1);
  EXPECT_EQ(calls("aten::matmul"), 1);
}

TEST_F(ApiTest, RangesAreSeenOnEveryThread) {
  {
    Profile profile(options_);
    const ProfileStep step(profile);
    const Range outer("outer");
    std::thread([] { const Range inner("beside"); }).join();
    const Range none(nullptr);
  }
  std::ifstream file(folder_.path() / "prof/stacks.txt");
  const std::string stacks{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(stacks, HasSubstr("step;outer"));
  EXPECT_THAT(stacks, HasSubstr("beside"));
}

TEST_F(ApiTest, ThreadsThatNeverStopAreRecordedBesideTheSteps) {
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  std::thread worker([&] {
    for (; !stop; ++rounds) (void)at::ones({64}).exp();
  });
  {
    Profile profile(options_);
    for (int i = 0; i < 3; ++i) {
      profile.step();
      for (const int before = rounds; rounds < before + 20;) std::this_thread::yield();
      for (int k = 0; k < 200; ++k) (void)at::ones({64}).neg();
    }
  }
  stop = true;
  worker.join();
  EXPECT_EQ(calls("aten::neg"), 400);
  EXPECT_GE(calls("aten::exp"), 2 * 19);
  EXPECT_GT(profile_json().at("other_threads_s"), 0);
}

TEST_F(ApiTest, AStepOnAnotherThreadIsLeftOutAndSaid) {
  Profile profile(options_);
  CaptureStderr();
  std::thread([&] { profile.step(); }).join();
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("another thread"));
  EXPECT_TRUE(profile.active());
  for (int i = 0; i < 3; ++i) profile.step();
  EXPECT_EQ(profile_json().at("steps").size(), 2);
}

TEST_F(ApiTest, ASecondProfileAtTheSameTimeIsRefused) {
  Profile first(options_);
  ProfileOptions others = options_;
  others.out = (folder_.path() / "second").string();
  CaptureStderr();
  const Profile second(others);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("two recordings at once"));
  EXPECT_FALSE(second.active());
  EXPECT_FALSE(fs::exists(others.out));
  EXPECT_TRUE(first.active());
  for (int i = 0; i < 3; ++i) first.step();
  EXPECT_TRUE(is_written());
}

TEST_F(ApiTest, ProfilesFollowEachOther) {
  for (const char* name : {"first", "second"}) {
    options_.out = (folder_.path() / name).string();
    Profile profile(options_);
    for (int i = 0; i < 3; ++i) profile.step();
    profile.finish();
    EXPECT_TRUE(fs::exists(folder_.path() / name / "run.json"));
  }
}

TEST_F(ApiTest, AForkedChildLeavesTheProfileToItsParent) {
  Profile profile(options_);
  profile.step();
  profile.step();
  const ::pid_t child = ::fork();
  if (child == 0) {
    profile.finish();
    ::_exit(is_written() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  profile.step();
  EXPECT_EQ(profile_json().at("steps").size(), 2);
}

TEST_F(ApiTest, OneThatIsNotEnabledDoesNothing) {
  options_.enabled_by_environment = true;
  Profile profile(options_);
  EXPECT_FALSE(profile.active());
  for (int i = 0; i < 3; ++i) profile.step();
  profile.finish();
  EXPECT_FALSE(fs::exists(folder_.path() / "prof"));
}

TEST_F(ApiTest, WhatCannotBeProfiledIsOneLine) {
  options_.steps = 0;
  CaptureStderr();
  const Profile profile(options_);
  const std::string said = GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("ridgeline: ridgeline::Profile: steps=0"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

}  // namespace
}  // namespace ridgeline
