#include "core/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, BytesAreThoseOfTheFile) {
  const TemporaryFolder folder;
  folder.put("file", "seven b");
  EXPECT_EQ(text_of(MappedFile(folder.path() / "file")), "seven b");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  folder.put("file", "");
  EXPECT_TRUE(MappedFile(folder.path() / "file").bytes().empty());
}

TEST(MappedFileTest, ADeletedFileStaysReadable) {
  const TemporaryFolder folder;
  folder.put("file", "content");
  const MappedFile file(folder.path() / "file");
  std::filesystem::remove(folder.path() / "file");
  EXPECT_EQ(text_of(file), "content");
}

TEST(MappedFileTest, FoldersPipesAndMissingFilesAreRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const auto complaint = [&](const char* name) {
    return message_of(Fault::Io, [&] { const MappedFile file(folder.path() / name); });
  };
  EXPECT_THAT(complaint(""), HasSubstr("directory"));
  EXPECT_THAT(complaint("pipe"), HasSubstr("not a regular file"));
  EXPECT_THAT(complaint("none"), HasSubstr("No such file"));
  EXPECT_THAT(complaint("none"), HasSubstr("none'"));
}

}  // namespace
}  // namespace ridgeline
