#include "core/run_folder.h"

#include <type_traits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr Bytes kPlenty{1e9};

static_assert(std::is_move_constructible_v<RunFolder> && !std::is_copy_constructible_v<RunFolder>);

// Default folders are made below the current one.
class InTemporaryFolder {
 public:
  InTemporaryFolder() { fs::current_path(folder_.path()); }
  ~InTemporaryFolder() { fs::current_path(before_); }
  InTemporaryFolder(const InTemporaryFolder&) = delete;
  InTemporaryFolder& operator=(const InTemporaryFolder&) = delete;

 private:
  TemporaryFolder folder_;
  fs::path before_ = fs::current_path();
};

TEST(RunFolderTest, TheDefaultNameHoldsTimeAndCommand) {
  const InTemporaryFolder here;
  const RunFolder run = RunFolder::create(std::nullopt, "bench");
  EXPECT_THAT(run.path().string(), MatchesRegex("runs/[0-9]{8}-[0-9]{6}-bench"));
  EXPECT_TRUE(fs::is_empty(run.path()));
}

TEST(RunFolderTest, ARunWithoutRowsLeavesNoEmptyFileOfThem) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder.path() / "run", "bench");
  run.write("run.json", "{}");
  EXPECT_FALSE(fs::exists(folder.path() / "run/rows.jsonl"));
  run.append_row({{"row", 1}});
  EXPECT_TRUE(fs::exists(folder.path() / "run/rows.jsonl"));
}

TEST(RunFolderTest, ADiscardedRunTakesBackWhatItMadeAndNothingElse) {
  const TemporaryFolder folder;
  folder.put("kept/other.txt", "x");
  RunFolder deep = RunFolder::create(folder.path() / "kept/a/b", "bench");
  deep.append_row({{"row", 1}});
  deep.discard();
  EXPECT_FALSE(fs::exists(folder.path() / "kept/a"));
  EXPECT_TRUE(fs::exists(folder.path() / "kept/other.txt"));
  RunFolder given = RunFolder::create(folder.path() / "kept", "bench");
  given.discard();  // the folder was there before
  EXPECT_TRUE(fs::exists(folder.path() / "kept/other.txt"));
  RunFolder used = RunFolder::create(folder.path() / "used", "bench");
  used.write("notes.txt", "written since");
  used.discard();
  EXPECT_TRUE(fs::exists(folder.path() / "used/notes.txt"));
}

TEST(RunFolderTest, ADiscardedDefaultFolderTakesItsParentAlong) {
  const InTemporaryFolder here;
  RunFolder::create(std::nullopt, "bench").discard();
  EXPECT_FALSE(fs::exists("runs"));
  const RunFolder kept = RunFolder::create(std::nullopt, "bench");
  RunFolder::create(std::nullopt, "bench").discard();
  EXPECT_TRUE(fs::exists(kept.path()));
}

TEST(RunFolderTest, RunsStartedAtOnceNeverShareAFolder) {
  const InTemporaryFolder here;
  std::set<fs::path> paths;
  for (int i = 0; i < 5; ++i) paths.insert(RunFolder::create(std::nullopt, "bench").path());
  EXPECT_EQ(paths.size(), 5U);
}

TEST(RunFolderTest, EveryRowIsALineAtOnce) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder.path() / "run", "bench");
  run.append_row({{"model", "a\nb"}});
  EXPECT_EQ(read_file(folder.path() / "run/rows.jsonl", kPlenty), "{\"model\":\"a\\nb\"}\n");
  RunFolder moved = std::move(run);
  moved.append_row({{"batch_size", 4}});
  EXPECT_THAT(read_file(folder.path() / "run/rows.jsonl", kPlenty),
              HasSubstr("\n{\"batch_size\":4}\n"));
}

TEST(RunFolderTest, BrokenUtf8InARowDoesNotLoseTheRow) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "bench");
  run.append_row({{"label", "\xff"}, {"count", 1}});
  EXPECT_EQ(json::parse(read_file(folder.path() / "rows.jsonl", kPlenty))["count"], 1);
}

TEST(RunFolderTest, FilesAreWrittenBelowTheFolderOnly) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder.path() / "run", "bench");
  run.write("plots/a.svg", "<svg/>");
  EXPECT_EQ(read_file(folder.path() / "run/plots/a.svg", kPlenty), "<svg/>");
  EXPECT_THROW(run.write("../escaped", "x"), Error);
  EXPECT_THROW(run.write("/absolute", "x"), Error);
  EXPECT_FALSE(fs::exists(folder.path() / "escaped"));
}

TEST(RunFolderTest, AnEarlierRunIsNotOverwritten) {
  const TemporaryFolder folder;
  RunFolder::create(folder.path(), "bench").append_row({{"row", 1}});
  const std::string message =
      message_of(Fault::BadInput, [&] { (void)RunFolder::create(folder.path(), "bench"); });
  EXPECT_THAT(message, HasSubstr(folder.path().string()));
  EXPECT_THAT(message, HasSubstr("name another folder"));
  EXPECT_EQ(read_file(folder.path() / "rows.jsonl", kPlenty), "{\"row\":1}\n");
}

TEST(RunFolderTest, AFolderWithoutResultsIsTaken) {
  const TemporaryFolder folder;
  (void)RunFolder::create(folder.path(), "bench");  // ended before its first row
  folder.put("log.txt", "of the shell");
  EXPECT_NO_THROW((void)RunFolder::create(folder.path(), "bench"));
}

TEST(RunFolderTest, AFileInTheWayIsNamed) {
  const TemporaryFolder folder;
  folder.put("file", "x");
  EXPECT_THAT(message_of(Fault::BadInput,
                         [&] { (void)RunFolder::create(folder.path() / "file", "bench"); }),
              HasSubstr("is a file"));
  EXPECT_THAT(
      message_of(Fault::Io, [&] { (void)RunFolder::create(folder.path() / "file/run", "bench"); }),
      HasSubstr("file/run"));
}

TEST(RunFolderTest, ADiskThatFillsUpKeepsTheRowsBefore) {
  const TemporaryFolder folder;
  RunFolder run = RunFolder::create(folder.path(), "bench");
  run.append_row({{"row", 1}});
  {
    const FileSizeLimit limit(100);
    EXPECT_THAT(message_of(Fault::Io,
                           [&] {
                             run.append_row({{"row", std::string(500, 'x')}});
                           }),
                HasSubstr("rows.jsonl"));
  }
  run.append_row({{"row", 3}});
  EXPECT_EQ(read_file(folder.path() / "rows.jsonl", kPlenty), "{\"row\":1}\n{\"row\":3}\n");
}

TEST(RunFolderTest, AFullDeviceIsAnIoError) {
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder.path() / "rows.jsonl");
  RunFolder run = RunFolder::create(folder.path(), "bench");
  EXPECT_THAT(message_of(Fault::Io,
                         [&] {
                           run.append_row({{"row", 1}});
                         }),
              HasSubstr("No space left"));
}

}  // namespace
}  // namespace ridgeline
