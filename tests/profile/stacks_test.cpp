#include "profile/stacks.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using testing::sample_recording;
using testing::WithDevice;

std::string folded(const Recording& recording) {
  const TemporaryFolder folder;
  write_folded_stacks(folder.path() / "stacks.txt", folded_stacks(recording));
  return read_file(folder.path() / "stacks.txt", {1e6});
}

TEST(StacksTest, AStackIsALineAndStepsFoldIntoOne) {
  EXPECT_THAT(folded(sample_recording(WithDevice::No)),
              HasSubstr("step;forward;layers.0;aten::linear;aten::mm 4\n"));
}

TEST(StacksTest, TimesAddUpToTheStepsButForRounding) {
  const Recording recording = sample_recording(WithDevice::No);
  std::istringstream lines(folded(recording));
  double sum = 0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    sum += std::stod(line.substr(line.rfind(' ')));
  double steps = 0;
  for (const RecordedStep& step : recording.steps)
    steps += static_cast<double>(step.end - step.start);
  EXPECT_NEAR(sum, steps / 1000, 0.5 * count);
}

TEST(StacksTest, SeparatorsInNamesAreReplaced) {
  Recording recording = sample_recording(WithDevice::No);
  for (const OpRecord& op : recording.ops) {
    if (recording.name(op.name) == "aten::relu") {
      recording.names[op.name] = "a;b\nc";
      break;
    }
  }
  EXPECT_THAT(folded(recording), HasSubstr("layers.1;a:b c "));
}

TEST(StacksTest, SpeedscopeEventsOpenAndCloseInOrder) {
  const TemporaryFolder folder;
  write_speedscope(folder.path() / "s.json", sample_recording(WithDevice::No), "a \"title\"");
  const auto file = nlohmann::json::parse(read_file(folder.path() / "s.json", {1e6}));
  EXPECT_EQ(file.at("name"), "a \"title\"");
  ASSERT_EQ(file.at("profiles").size(), 1);
  const auto& profile = file.at("profiles")[0];
  std::vector<int> open;
  double last = 0;
  for (const auto& event : profile.at("events")) {
    EXPECT_GE(event.at("at").get<double>(), last);
    last = event.at("at").get<double>();
    const int frame = event.at("frame").get<int>();
    ASSERT_LT(frame, static_cast<int>(file.at("shared").at("frames").size()));
    if (event.at("type") == "O") {
      open.push_back(frame);
    } else {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), frame);
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(profile.at("endValue"), last);
}

}  // namespace
}  // namespace ridgeline
