#include "data/fetch.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

// What needs a server is in tests/cli/e2e_fetch_test.py.

namespace ridgeline {
namespace {

constexpr const char* kKept =
    R"({"source":"hf:o/n","revision":"main","listing":{"siblings":[
      {"rfilename":"a.txt","size":3},{"rfilename":"b.txt","size":3}]}})";

TEST(FetchTest, OfflineTheKeptListSaysWhatIsThereAndMissing) {
  const TemporaryFolder folder;
  folder.put(".ridgeline-fetch.json", kKept);
  folder.put("a.txt", "abc");
  const auto plan = plan_offline("hf:o/n", {.to = folder.path()});
  ASSERT_TRUE(plan.has_value());
  ASSERT_EQ(plan->items.size(), 2U);
  EXPECT_TRUE(inspect(plan->items[0]).kind == FetchState::Kind::There);
  EXPECT_TRUE(inspect(plan->items[1]).kind == FetchState::Kind::Missing);
  folder.put("a.txt", "abcd");
  EXPECT_TRUE(inspect(plan->items[0]).kind == FetchState::Kind::Missing);
}

TEST(FetchTest, AListOfAnotherSourceOrRevisionIsNotThisOne) {
  const TemporaryFolder folder;
  EXPECT_FALSE(plan_offline("hf:o/n", {.to = folder.path()}).has_value());
  folder.put(".ridgeline-fetch.json", kKept);
  EXPECT_FALSE(plan_offline("hf:o/other", {.to = folder.path()}).has_value());
  EXPECT_FALSE(plan_offline("hf:o/n", {.to = folder.path(), .revision = "v2"}).has_value());
}

TEST(FetchTest, ADamagedListIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const std::string deep = R"({"source":"hf:o/n","revision":"main","listing":)" +
                           std::string(1000000, '[') + std::string(1000000, ']') + "}";
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string(R"({"source":1})"), deep}) {
    folder.put(".ridgeline-fetch.json", text);
    const std::string message =
        message_of(Fault::Io, [&] { (void)plan_offline("hf:o/n", {.to = folder.path()}); });
    EXPECT_NE(message.find(".ridgeline-fetch.json"), std::string::npos);
  }
}

TEST(FetchTest, FlagsOfTheHubAreForTheHub) {
  message_of(Fault::BadInput, [] { (void)plan_fetch("cifar10", {.to = "d", .revision = "v2"}); });
  message_of(Fault::BadInput, [] { (void)plan_fetch("cifar10", {.to = "d", .include = {"*"}}); });
  message_of(Fault::BadInput, [] { (void)plan_fetch("hf:o/n", {.to = "d", .layout = "binary"}); });
}

TEST(FetchTest, WhatIsThereIsNotFetchedAgain) {
  const TemporaryFolder folder;
  folder.put("a", "abc");
  const FetchPlan plan{
      .what = "x",
      .items = {
          {.name = "a",
           .request = {.url = "http://127.0.0.1:1/a", .to = folder.path() / "a", .size = 3}}}};
  int seen = 0;
  carry_out(plan, {.done = [&](const FetchItem&, const FetchState& state) {
              ++seen;
              EXPECT_TRUE(state.kind == FetchState::Kind::There);
              EXPECT_EQ(state.bytes, 3U);
            }});
  EXPECT_EQ(seen, 1);
}

TEST(FetchTest, TheEnvironmentGivesEndpointAndToken) {
  ::setenv("HF_ENDPOINT", "http://mirror", 1);
  ::setenv("HF_TOKEN", "secret\n", 1);
  const FetchOptions options = with_hub_environment({});
  ::unsetenv("HF_ENDPOINT");
  ::unsetenv("HF_TOKEN");
  EXPECT_EQ(options.hub_endpoint, "http://mirror");
  EXPECT_EQ(options.hub_token, "secret");
  EXPECT_EQ(with_hub_environment({}).hub_endpoint, "https://huggingface.co");
}

}  // namespace
}  // namespace ridgeline
