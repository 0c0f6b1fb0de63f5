#include "cli/common_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

TEST(RefuseConflictsTest, StandardOutputHasRoomForOneThing) {
  CommonFlags flags;
  flags.json = true;
  refuse_conflicts(flags);
  flags.markdown = "table.md";
  refuse_conflicts(flags);
  flags.markdown = "-";
  EXPECT_THAT(message_of(Fault::BadInput, [&] { refuse_conflicts(flags); }),
              HasSubstr("--json and --markdown -"));
  flags.json = false;
  refuse_conflicts(flags);
}

TEST(TalksTest, NothingStandsBesideWhatProgramsRead) {
  EXPECT_TRUE(talks({}));
  EXPECT_TRUE(talks({.csv = "", .markdown = "-"}));
  EXPECT_FALSE(talks({.json = true}));
  EXPECT_FALSE(talks({.csv = "-"}));
  EXPECT_FALSE(talks({.quiet = true}));
}

class RequireWritableTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  CommonFlags flags_;

  RequireWritableTest() { flags_.out = folder_.path() / "run"; }
  [[nodiscard]] std::string refusal() const {
    return message_of(Fault::Io, [&] { require_writable(flags_); });
  }
};

TEST_F(RequireWritableTest, FoldersThatDoNotExistYetAreFineAndAreNotMade) {
  flags_.csv = (folder_.path() / "a/b/c.csv").string();
  flags_.markdown = (folder_.path() / "d/e.md").string();
  require_writable(flags_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(RequireWritableTest, APathBelowAFileIsRefused) {
  folder_.put("file", "x");
  flags_.csv = (folder_.path() / "file/below/c.csv").string();
  EXPECT_THAT(refusal(), HasSubstr("is not a folder"));
}

TEST_F(RequireWritableTest, AFolderIsNoFile) {
  flags_.csv = folder_.path().string();
  EXPECT_THAT(refusal(), HasSubstr("is a folder"));
}

TEST_F(RequireWritableTest, TheRunFolderAndMarkdownAreCheckedToo) {
  folder_.put("file", "x");
  flags_.markdown = (folder_.path() / "file/m.md").string();
  (void)refusal();
  flags_.markdown = "-";
  require_writable(flags_);
  flags_.out = folder_.path() / "file";
  (void)refusal();
}

}  // namespace
}  // namespace ridgeline
