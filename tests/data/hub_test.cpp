#include "data/hub.h"

#include <gtest/gtest.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

constexpr const char* kCommit = "0123456789abcdef0123456789abcdef01234567";

std::string listing(const std::string& siblings) {
  return std::string(R"({"id":"o/n","sha":")") + kCommit + R"(","siblings":[)" + siblings + "]}";
}

const HubRepository kModel{.kind = HubRepository::Kind::Model, .name = "o/n"};

FetchPlan plan(const std::string& siblings, const FetchOptions& options = {.to = "d"}) {
  return plan_from_listing(kModel, listing(siblings), options);
}

TEST(HubTest, ASourceNamesAModelOrADataSet) {
  EXPECT_EQ(parse_hub_source("hf:Qwen/Qwen2.5-0.5B").name, "Qwen/Qwen2.5-0.5B");
  EXPECT_EQ(parse_hub_source("hf:gpt2").name, "gpt2");
  const HubRepository set = parse_hub_source("hf:datasets/PolyAI/banking77");
  EXPECT_EQ(set.name, "PolyAI/banking77");
  EXPECT_TRUE(set.kind == HubRepository::Kind::DataSet);
  for (const char* source : {"hf:", "hf:/", "hf:a/", "hf:/a", "hf:a/b/c", "hf:../x", "hf:a/..",
                             "hf:a b/c", "hf:datasets/", "hf:a/b?x", "hf:a%2f/b"}) {
    message_of(Fault::BadInput, [&] { (void)parse_hub_source(source); });
  }
}

TEST(HubTest, UrlsFollowTheEndpointAndTheRevision) {
  EXPECT_EQ(listing_url(kModel, {}),
            "https://huggingface.co/api/models/o/n/revision/main?blobs=true");
  EXPECT_EQ(listing_url(kModel, {.revision = "refs/pr/1", .hub_endpoint = "http://h:1/"}),
            "http://h:1/api/models/o/n/revision/refs%2Fpr%2F1?blobs=true");
  const HubRepository set{.kind = HubRepository::Kind::DataSet, .name = "o/n"};
  EXPECT_EQ(listing_url(set, {.url = "http://mirror"}),
            "http://mirror/api/datasets/o/n/revision/main?blobs=true");
  EXPECT_EQ(plan_from_listing(set, listing(R"({"rfilename":"a b.csv"})"), {.to = "d"})
                .items[0]
                .request.url,
            std::string("https://huggingface.co/datasets/o/n/resolve/") + kCommit + "/a%20b.csv");
}

TEST(HubTest, TheTokenGoesToTheEndpointAndToNoMirror) {
  const auto token = [](const std::string& url) {
    const FetchOptions options{
        .to = "d", .url = url, .hub_endpoint = "https://hub.test", .hub_token = "secret"};
    const auto sent = plan(R"({"rfilename":"a"})", options).items[0].request.bearer_token;
    EXPECT_EQ(sent, token_for(options));
    return sent;
  };
  EXPECT_EQ(token(""), "secret");
  EXPECT_EQ(token("https://HUB.test:443/"), "secret");
  for (const char* mirror :
       {"http://hub.test", "https://hub.test:444", "https://hub.test.evil.test",
        "https://hub.test@evil.test", "https://mirror.test/hub.test", "no url"}) {
    EXPECT_EQ(token(mirror), "") << mirror;
  }
}

TEST(HubTest, SizesAndSumsAreTakenFromTheList) {
  const std::string sum(64, 'a');
  const FetchPlan found =
      plan(R"({"rfilename":"config.json","size":12},{"rfilename":"deep/m.safetensors","size":130,)"
           R"("lfs":{"sha256":")" +
           sum + R"(","size":1000,"pointerSize":130}})");
  ASSERT_EQ(found.items.size(), 2U);
  EXPECT_EQ(found.items[0].request.size, 12U);
  EXPECT_FALSE(found.items[0].request.checksum.has_value());
  EXPECT_EQ(found.items[1].request.size, 1000U);
  EXPECT_EQ(found.items[1].request.checksum->hex, sum);
  EXPECT_EQ(found.items[1].request.to, "d/deep/m.safetensors");
}

TEST(HubTest, GlobsChooseFiles) {
  const std::string three =
      R"({"rfilename":"a.json"},{"rfilename":"x/b.json"},{"rfilename":"c.bin"})";
  EXPECT_EQ(plan(three).items.size(), 3U);
  EXPECT_EQ(plan(three, {.to = "d", .include = {"*.json"}}).items.size(), 2U);
  EXPECT_EQ(plan(three, {.to = "d", .include = {"*.json"}, .exclude = {"x/*"}}).items.size(), 1U);
  message_of(Fault::BadInput, [&] { (void)plan(three, {.to = "d", .include = {"*.txt"}}); });
}

TEST(HubTest, NamesThatClimbOutAreRefused) {
  for (const char* name :
       {"../x", "a/../../x", "/etc/passwd", "./a", "a/.", "a\\\\b", "a\\n", "\\u0000"}) {
    const std::string message = message_of(
        Fault::Io, [&] { (void)plan(std::string(R"({"rfilename":")") + name + R"("})"); });
    EXPECT_NE(message.find("leaves the folder"), std::string::npos) << name;
  }
  // Also when the globs would leave it out: a list that tries is not trusted.
  message_of(Fault::Io, [&] {
    (void)plan(R"({"rfilename":"a.json"},{"rfilename":"../x"})",
               {.to = "d", .include = {"*.json"}});
  });
}

TEST(HubTest, NamesThatCannotBeUsedAreRefusedForWhatTheyAreWhereTheyAreWanted) {
  for (const auto& [name, why] : {std::pair{"a//b", "has an empty part"},
                                  {"", "has an empty part"},
                                  {"a/", "has an empty part"},
                                  {"x.part", "downloads under way go by"},
                                  {"x.part.from", "downloads under way go by"},
                                  {".ridgeline-fetch.json", "downloads under way go by"}}) {
    const std::string both = fmt::format(R"({{"rfilename":"a.json"}},{{"rfilename":"{}"}})", name);
    const std::string message = message_of(Fault::Io, [&] { (void)plan(both); });
    EXPECT_NE(message.find(why), std::string::npos) << message;
    EXPECT_EQ(plan(both, {.to = "d", .include = {"*.json"}, .exclude = {".*"}}).items.size(), 1U);
  }
}

TEST(HubTest, NamesThatStayInsideAreTaken) {
  for (const char* name : {"a", "a/b", "..a", "a..", "a/...", ".gitattributes", "日本/µ.txt"}) {
    EXPECT_TRUE(is_file_name(name)) << name;
  }
  EXPECT_FALSE(is_file_name("\xff"));
  EXPECT_FALSE(is_file_name(std::string(2000, 'a')));
}

TEST(HubTest, MalformedListsAreRefused) {
  for (const char* text : {"", "{", "[]", "null", "{}", R"({"siblings":{}})", R"({"siblings":[1]})",
                           R"({"siblings":[{}]})", R"({"siblings":[{"rfilename":3}]})",
                           R"({"siblings":[{"rfilename":"a"},{"rfilename":"a"}]})",
                           R"({"siblings":[{"rfilename":"a","lfs":{"sha256":"12"}}]})"}) {
    message_of(Fault::Io, [&] { (void)plan_from_listing(kModel, text, {.to = "d"}); });
  }
  message_of(Fault::BadInput, [&] { (void)plan(""); });
}

TEST(HubTest, ADeeplyNestedListIsRefusedNotFollowed) {
  const auto nested = [](std::size_t depth) {
    return R"({"siblings":[{"rfilename":"a"}],"x":)" + std::string(depth, '[') +
           std::string(depth, ']') + "}";
  };
  EXPECT_EQ(plan_from_listing(kModel, nested(10), {.to = "d"}).items.size(), 1U);
  const std::string message =
      message_of(Fault::Io, [&] { (void)plan_from_listing(kModel, nested(1000000), {.to = "d"}); });
  EXPECT_NE(message.find("the Hub's list of files: nested deeper than 16"), std::string::npos);
}

TEST(HubTest, WithoutACommitTheRevisionAsAskedIsUsed) {
  const FetchPlan found =
      plan_from_listing(kModel, R"({"sha":"../../x","siblings":[{"rfilename":"a"}]})", {.to = "d"});
  EXPECT_EQ(found.items[0].request.url, "https://huggingface.co/o/n/resolve/main/a");
}

}  // namespace
}  // namespace ridgeline
