#include "profile/host_stacks.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"
#include "profile/sample_recording.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using testing::sample_recording;
using testing::WithDevice;

TEST(HostStacksTest, AStackStandsUnderTheModuleAndTheOpThatWereOpen) {
  const Recording recording = sample_recording(WithDevice::No);
  const auto named = [&](std::string_view name) {
    return std::ranges::find_if(recording.ops,
                                [&](const OpRecord& op) { return recording.name(op.name) == name; })
        ->id;
  };
  const StackSamples samples{.stacks = {{"main;work", 3, named("aten::mm")},
                                        {"main;work", 2, named("layers.0")},
                                        {"main;work", 1, named("ProfilerStep#0")},
                                        {"main;work", 5, 0},
                                        {"main;work", 7, 4'000'000'000}},
                             .taken = 18};
  const auto stacks = host_stacks(samples, recording);
  const auto count = [&](std::string_view frames) {
    const auto found = std::ranges::find(stacks, frames, &FoldedStack::frames);
    return found == stacks.end() ? 0 : found->value;
  };
  EXPECT_EQ(stacks.size(), 3);
  EXPECT_EQ(count("layers.0;aten::mm;main;work"), 3);
  EXPECT_EQ(count("layers.0;main;work"), 2);
  EXPECT_EQ(count("main;work"), 13) << "a step alone, no frame, a frame beyond the limit";
}

TEST(HostStacksTest, NoSamplesAndLostOnesAreSaid) {
  const TemporaryFolder folder;
  Recording recording{.names = {""}};
  const auto said = [&](const StackSamples& samples) {
    return write_host_stacks(folder.path(), samples, recording, "a model");
  };
  EXPECT_EQ(said({}), "") << "no step was recorded, which is said elsewhere";
  recording.steps = {{.number = 1}};
  EXPECT_THAT(said({}), HasSubstr("no sample was taken"));
  EXPECT_EQ(said({.stacks = {{"main", 2}}, .taken = 2}), "");
  EXPECT_THAT(said({.stacks = {{"main", 2}}, .taken = 2, .lost = 3}), HasSubstr("3 of 5 samples"));
  EXPECT_EQ(read_file(folder.path() / "host_stacks.txt", {1e6}), "main 2\n");
}

}  // namespace
}  // namespace ridgeline
