#include "core/atomic_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr Bytes kPlenty{1e9};

long entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicFileTest, ContentComesBackByteForByte) {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\nµ", 7);
  write_file_atomically(folder.path() / "file", content);
  EXPECT_EQ(read_file(folder.path() / "file", kPlenty), content);
}

TEST(AtomicFileTest, AnOldFileIsReplacedAndNothingElseIsLeft) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "file", std::string(100000, 'x'));
  write_file_atomically(folder.path() / "file", "");
  EXPECT_EQ(read_file(folder.path() / "file", kPlenty), "");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(AtomicFileTest, MissingFoldersAreMade) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "a/b/c", "deep");
  EXPECT_EQ(read_file(folder.path() / "a/b/c", kPlenty), "deep");
}

TEST(AtomicFileTest, ALinkStaysALink) {
  const TemporaryFolder folder;
  folder.put("real", "old");
  fs::create_symlink("real", folder.path() / "link");
  write_file_atomically(folder.path() / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(folder.path() / "real", kPlenty), "new");
}

TEST(AtomicFileTest, OthersMayReadWhatTheUmaskAllows) {
  const TemporaryFolder folder;
  const mode_t before = ::umask(022);
  write_file_atomically(folder.path() / "file", "x");
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat((folder.path() / "file").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0644U);
}

TEST(AtomicFileTest, AFullDiskLeavesTheOldFileAndNoRest) {
  const TemporaryFolder folder;
  folder.put("file", "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT(
        message_of(Fault::Io,
                   [&] { write_file_atomically(folder.path() / "file", std::string(5000, 'x')); }),
        HasSubstr((folder.path() / "file").string()));
  }
  EXPECT_EQ(read_file(folder.path() / "file", kPlenty), "old");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(AtomicFileTest, ADeviceIsWrittenAndStaysADevice) {
  EXPECT_THAT(message_of(Fault::Io, [] { write_file_atomically("/dev/full", "x"); }),
              HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  write_file_atomically("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFileTest, APathThatCannotBeIsNamed) {
  const TemporaryFolder folder;
  folder.put("file", "x");
  const fs::path below = folder.path() / "file/below";
  EXPECT_THAT(message_of(Fault::Io, [&] { write_file_atomically(below, "x"); }),
              HasSubstr(below.string()));
  EXPECT_THAT(message_of(Fault::Io, [&] { write_file_atomically(folder.path(), "x"); }),
              HasSubstr("directory"));
  EXPECT_THAT(message_of(Fault::Io, [&] { write_file_atomically(folder.path() / "", "x"); }),
              HasSubstr("directory"));
}

TEST(ReadFileTest, MissingFolderAndTooBigAreErrors) {
  const TemporaryFolder folder;
  folder.put("ten", "0123456789");
  EXPECT_EQ(read_file(folder.path() / "ten", {10}), "0123456789");
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_file(folder.path() / "ten", {9}); }),
              HasSubstr("limit of 9 B"));
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_file(folder.path() / "none", kPlenty); }),
              HasSubstr("No such file"));
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_file(folder.path(), kPlenty); }),
              HasSubstr("directory"));
}

TEST(ReadFileTest, AnEndlessFileStopsAtTheLimit) {
  EXPECT_THAT(message_of(Fault::Io, [] { (void)read_file("/dev/zero", {1e6}); }),
              HasSubstr("limit"));
}

TEST(ReadFileTest, FilesWithoutASizeAreReadWhole) {
  EXPECT_THAT(read_file("/proc/self/status", kPlenty), HasSubstr("VmRSS"));
}

}  // namespace
}  // namespace ridgeline
