#include "core/download.h"

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

// What needs a server is in tests/cli/e2e_fetch_test.py.

namespace ridgeline {
namespace {

TEST(DownloadTest, OnlyHttpAndHttpsAreUrls) {
  const TemporaryFolder folder;
  folder.put("secret", "x");
  for (const std::string& url :
       {"file://" + (folder.path() / "secret").string(), std::string("ftp://localhost/a"),
        std::string("no url"), std::string()}) {
    const std::string message =
        message_of(Fault::BadInput, [&] { download({.url = url, .to = folder.path() / "a"}); });
    EXPECT_NE(message.find("no http or https URL"), std::string::npos) << url;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
}

TEST(DownloadTest, AFileThatIsThereAndRightIsNotFetched) {
  const TemporaryFolder folder;
  folder.put("a", "abc");
  const DownloadRequest request{
      .url = "http://127.0.0.1:1/a",
      .to = folder.path() / "a",
      .checksum = Checksum{Checksum::Kind::Md5, "900150983cd24fb0d6963f7d28e17f72"},
      .size = 3};
  EXPECT_TRUE(is_downloaded(request));
  EXPECT_TRUE(download(request).was_there);
}

TEST(DownloadTest, AFileOfAnotherSizeOrSumCountsAsAbsent) {
  const TemporaryFolder folder;
  folder.put("a", "abc");
  EXPECT_FALSE(is_downloaded({.to = folder.path() / "a", .size = 4}));
  EXPECT_FALSE(
      is_downloaded({.to = folder.path() / "a", .checksum = Checksum{Checksum::Kind::Md5, "00"}}));
  EXPECT_FALSE(is_downloaded({.to = folder.path()}));
  EXPECT_FALSE(is_downloaded({.to = folder.path() / "b"}));
}

TEST(DownloadTest, AServerThatIsNotThereIsNamedWithTheAttempts) {
  const TemporaryFolder folder;
  const std::string message = message_of(Fault::Io, [&] {
    download({.url = "http://127.0.0.1:1/a", .to = folder.path() / "a"},
             {.retries = 1, .backoff = Seconds{0.001}});
  });
  EXPECT_TRUE(message.starts_with("http://127.0.0.1:1/a: ")) << message;
  EXPECT_NE(message.find("(2 attempts"), std::string::npos) << message;
}

}  // namespace
}  // namespace ridgeline
