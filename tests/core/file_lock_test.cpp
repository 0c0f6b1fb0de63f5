#include "core/file_lock.h"

#include <utility>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

TEST(FileLockTest, OneAtATimeHoldsItAndNothingIsLeft) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a/b/.lock";
  {
    const auto first = FileLock::take(path);
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::take(path));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));
  EXPECT_TRUE(FileLock::take(path));
}

TEST(FileLockTest, FoldersWithSomethingElseInThemStay) {
  const TemporaryFolder folder;
  {
    const auto lock = FileLock::take(folder.path() / "a/.lock");
    folder.put("a/result", "kept");
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "a/result"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a/.lock"));
}

TEST(FileLockTest, WhoeverTakesOverALockHoldsItAlone) {
  const TemporaryFolder folder;
  auto first = FileLock::take(folder.path() / ".lock");
  {
    const FileLock second = std::move(*first);
    first.reset();
    EXPECT_FALSE(FileLock::take(folder.path() / ".lock"));
  }
  EXPECT_TRUE(FileLock::take(folder.path() / ".lock"));
}

TEST(FileLockTest, AProcessThatIsKilledHoldsNothing) {
  const TemporaryFolder folder;
  const auto path = folder.path() / ".lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = FileLock::take(path);
    ::_exit(lock ? 0 : 1);  // no destructor runs
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(FileLock::take(path));
}

TEST(FileLockTest, AFolderThatCannotBeMadeIsSaid) {
  const TemporaryFolder folder;
  folder.put("file", "");
  EXPECT_THROW((void)FileLock::take(folder.path() / "file/.lock"), Error);
}

}  // namespace
}  // namespace ridgeline
