#include "profile/api_profile.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/temporary_folder.h"
#include "profile/sample_recording.h"
#include "report/run_document.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Has seen the sample's two steps, whatever happens.
class SampleObserver final : public OpObserver {
 public:
  void resume(Keep) override {}
  void pause() override {}
  void begin_step(std::int64_t) override {}
  void end_step() override { ended_ = true; }
  void reset() override {}
  [[nodiscard]] Recording finish() override {
    if (!ended_) return {.names = {""}};
    return ridgeline::testing::sample_recording(ridgeline::testing::WithDevice::No);
  }

 private:
  bool ended_ = false;
};

class ApiProfileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.out = (folder_.path() / "prof").string();
    options_.wait = 0;
    options_.warmup = 0;
    options_.steps = 2;
    options_.cost_pairs = 0;
  }

  [[nodiscard]] std::unique_ptr<ApiProfile> make(
      ProfileExtent extent = ProfileExtent::Steps) const {
    return std::make_unique<ApiProfile>(options_, extent, [](const ObserverOptions&) {
      return std::make_unique<SampleObserver>();
    });
  }
  [[nodiscard]] std::string text_of(const char* name) const {
    std::ifstream file(folder_.path() / "prof" / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
  ProfileOptions options_;
};

TEST_F(ApiProfileTest, StepsBecomeAllFilesOfAProfileAndItsTables) {
  options_.title = "my program";
  const auto profile = make();
  for (int i = 0; i < 3; ++i) profile->begin_step();
  EXPECT_TRUE(profile->done());
  const std::string text = profile->write("2.11.0").text;
  for (const char* word : {"my program", "2 steps recorded", "aten::mm", "Run folder"})
    EXPECT_THAT(text, HasSubstr(word));
  EXPECT_THAT(text, HasSubstr("The cost of profiling was not measured"));
  for (const char* name :
       {"trace.json.gz", "ops.csv", "modules.csv", "stacks.txt", "flamegraph.svg",
        "speedscope.json", "profile.json", "findings.txt", "report.html", "run.json"})
    EXPECT_GT(fs::file_size(folder_.path() / "prof" / name), 0) << name;
  const RunDocument run = read_run(folder_.path() / "prof");
  EXPECT_EQ(run.command, "profile");
  EXPECT_FALSE(run.command_line.empty());
  EXPECT_EQ(run.settings.at("steps"), 2);
  EXPECT_EQ(run.environment.at("torch").at("version"), "2.11.0");
}

TEST_F(ApiProfileTest, AWholeRunSaysThatItIsOne) {
  const auto profile = make(ProfileExtent::WholeRun);
  profile->begin_step();
  profile->end_step();
  EXPECT_TRUE(profile->done());
  EXPECT_THAT(profile->write("2.11.0").text, HasSubstr("from start to exit"));
  const auto settings = nlohmann::json::parse(text_of("run.json")).at("settings");
  EXPECT_EQ(settings.at("extent"), "whole run");
  EXPECT_FALSE(settings.contains("steps"));
}

TEST_F(ApiProfileTest, AProgramThatEndsTooSoonLeavesNoFolder) {
  const auto profile = make();
  EXPECT_TRUE(fs::exists(folder_.path() / "prof"));
  try {
    (void)profile->write("2.11.0");
    FAIL() << "wrote something";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nothing was profiled"));
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "prof"));
}

TEST_F(ApiProfileTest, AFileThatCannotBeWrittenCostsItselfAlone) {
  fs::create_directories(folder_.path() / "prof/findings.txt");
  const auto profile = make();
  for (int i = 0; i < 3; ++i) profile->begin_step();
  const ApiProfile::Report report = profile->write("2.11.0");
  EXPECT_THAT(report.text, HasSubstr("aten::mm"));
  ASSERT_EQ(report.lost.size(), 1U);
  EXPECT_THAT(report.lost[0], HasSubstr("findings.txt"));
  EXPECT_GT(fs::file_size(folder_.path() / "prof/trace.json.gz"), 0);
}

TEST_F(ApiProfileTest, AFolderThatHoldsARunIsRefusedAtOnce) {
  fs::create_directories(folder_.path() / "prof");
  std::ofstream(folder_.path() / "prof/run.json") << "{}";
  EXPECT_THROW((void)make(), Error);
  EXPECT_EQ(text_of("run.json"), "{}");
}

TEST_F(ApiProfileTest, AnObserverThatCannotBeMadeLeavesNoFolder) {
  const auto fails = [](const ObserverOptions&) -> std::unique_ptr<OpObserver> {
    throw Error(Fault::Internal, "two recordings at once");
  };
  EXPECT_THROW(ApiProfile(options_, ProfileExtent::Steps, fails), Error);
  EXPECT_FALSE(fs::exists(folder_.path() / "prof"));
}

}  // namespace
}  // namespace ridgeline
