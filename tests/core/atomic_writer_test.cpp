#include "core/atomic_writer.h"

#include <array>

#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

long entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(AtomicWriterTest, PiecesAreJoinedInOrder) {
  const TemporaryFolder folder;
  AtomicWriter writer(folder.path() / "file");
  writer.write("one");
  const std::array two{'t', 'w', 'o'};
  writer.write(std::as_bytes(std::span(two)));
  EXPECT_EQ(writer.written(), 6U);
  writer.commit();
  EXPECT_EQ(read_file(folder.path() / "file", {1e9}), "onetwo");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(AtomicWriterTest, TheTargetKeepsItsContentUntilCommit) {
  const TemporaryFolder folder;
  folder.put("file", "old");
  {
    AtomicWriter writer(folder.path() / "file");
    writer.write("new");
    EXPECT_EQ(read_file(folder.path() / "file", {1e9}), "old");
  }
  EXPECT_EQ(read_file(folder.path() / "file", {1e9}), "old");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(AtomicWriterTest, AFullDiskInALaterPieceLeavesTheOldFileAndNoRest) {
  const TemporaryFolder folder;
  folder.put("file", "old");
  {
    const FileSizeLimit limit(1000);
    EXPECT_THAT(message_of(Fault::Io,
                           [&] {
                             AtomicWriter writer(folder.path() / "file");
                             writer.write(std::string(900, 'x'));
                             writer.write(std::string(900, 'x'));
                             writer.commit();
                           }),
                HasSubstr((folder.path() / "file").string()));
  }
  EXPECT_EQ(read_file(folder.path() / "file", {1e9}), "old");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

}  // namespace
}  // namespace ridgeline
