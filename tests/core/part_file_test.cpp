#include "core/part_file.h"

#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

const PartOrigin kOrigin{.url = "http://host/a", .validator = "\"tag\""};

TEST(PartFileTest, ThePartBecomesTheFileOnlyAtTheEnd) {
  const TemporaryFolder folder;
  const fs::path target = folder.path() / "deep" / "a.bin";
  PartFile part(target);
  part.start_over(kOrigin);
  part.append("some ");
  part.append("bytes");
  EXPECT_FALSE(fs::exists(target));
  EXPECT_EQ(part.size(), 10U);
  part.finish();
  EXPECT_EQ(read_file(target, Bytes{100}), "some bytes");
  EXPECT_EQ(std::distance(fs::directory_iterator(target.parent_path()), {}), 1);
}

TEST(PartFileTest, ALaterOneGoesOnWhereTheEarlierStopped) {
  const TemporaryFolder folder;
  {
    PartFile part(folder.path() / "a");
    part.start_over(kOrigin);
    part.append("some ");
  }
  PartFile part(folder.path() / "a");
  EXPECT_EQ(part.size(), 5U);
  EXPECT_EQ(part.origin(), kOrigin);
  part.append("bytes");
  part.finish();
  EXPECT_EQ(read_file(folder.path() / "a", Bytes{100}), "some bytes");
}

TEST(PartFileTest, APartWithNothingInItDoesNotStay) {
  const TemporaryFolder folder;
  { const PartFile part(folder.path() / "a"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  {
    PartFile empty(folder.path() / "a");
    empty.finish();
  }
  EXPECT_TRUE(fs::exists(folder.path() / "a"));
}

TEST(PartFileTest, StartingOverForgetsBytesAndOrigin) {
  const TemporaryFolder folder;
  PartFile part(folder.path() / "a");
  part.start_over(kOrigin);
  part.append("old");
  part.start_over({});
  EXPECT_EQ(part.size(), 0U);
  EXPECT_EQ(part.origin(), PartOrigin{});
  EXPECT_EQ(fs::file_size(part.path()), 0U);
}

TEST(PartFileTest, NotesThatAreNoNotesCountAsNone) {
  const TemporaryFolder folder;
  PartFile part(folder.path() / "a");
  for (const char* notes : {"", "{", "[]", "{\"url\":1,\"validator\":2}", "{\"url\":\"x\"}"}) {
    folder.put("a.part.from", notes);
    EXPECT_EQ(part.origin(), PartOrigin{}) << notes;
  }
}

TEST(PartFileTest, TwoAtOnceAreRefused) {
  const TemporaryFolder folder;
  const PartFile first(folder.path() / "a");
  const std::string message =
      message_of(Fault::Io, [&] { const PartFile second(folder.path() / "a"); });
  EXPECT_NE(message.find("another process"), std::string::npos);
}

TEST(PartFileTest, LinksAndFoldersAreNotWrittenTo) {
  const TemporaryFolder folder;
  folder.put("precious", "x");
  fs::create_symlink(folder.path() / "precious", folder.path() / "a.part");
  message_of(Fault::Io, [&] { const PartFile part(folder.path() / "a"); });
  message_of(Fault::Io, [&] { const PartFile part(folder.path()); });
  EXPECT_EQ(read_file(folder.path() / "precious", Bytes{10}), "x");
}

TEST(PartFileTest, AFullDiskKeepsWhatFits) {
  const TemporaryFolder folder;
  PartFile part(folder.path() / "a");
  {
    const FileSizeLimit limit(1000);
    const std::string message = message_of(Fault::Io, [&] { part.append(std::string(5000, 'x')); });
    EXPECT_NE(message.find("a.part"), std::string::npos);
  }
  EXPECT_EQ(part.size(), 1000U);
  part.append("y");
  EXPECT_EQ(part.size(), fs::file_size(part.path()));
}

TEST(PartFileTest, RemovedIsRemoved) {
  const TemporaryFolder folder;
  PartFile part(folder.path() / "a");
  part.start_over(kOrigin);
  part.remove();
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace ridgeline
