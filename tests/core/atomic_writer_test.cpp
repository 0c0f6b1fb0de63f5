#include "core/atomic_writer.h"

#include <array>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

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

// A process that has ended and been waited for: its number is no one's.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  return child;
}

TEST(AtomicWriterTest, WhatAKilledWriterLeftIsRemovedAndNothingElse) {
  const TemporaryFolder folder;
  const std::string dead = std::to_string(dead_process());
  const std::vector<std::string> kept{
      ".file." + std::to_string(::getppid()) + "-0.tmp",  // a writer that lives
      ".other." + dead + "-0.tmp",
      ".file." + dead + ".tmp",
      ".file." + dead + "-x.tmp",
      ".file.-" + dead + "-0.tmp",
      ".file.0-0.tmp",
      ".file..tmp",
      ".file.tmp",
      "file." + dead + "-0.tmp",
  };
  for (const std::string& name : kept) folder.put(name, "x");
  folder.put(".file." + dead + "-0.tmp", "half");
  folder.put(".file." + dead + "-17.tmp", "half");
  AtomicWriter(folder.path() / "file").commit();
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder.path() / name)) << name;
  EXPECT_EQ(entries_in(folder.path()), static_cast<long>(kept.size()) + 1);
}

}  // namespace
}  // namespace ridgeline
