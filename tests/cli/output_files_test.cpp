#include "cli/output_files.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

std::string refusal(const std::vector<std::filesystem::path>& inputs,
                    const std::vector<OutputFile>& outputs) {
  try {
    refuse_overwriting(inputs, outputs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OutputFilesTest, AnOutputThatIsTheInputIsRefusedByWhateverName) {
  const TemporaryFolder folder;
  folder.put("in.json", "x");
  const auto in = folder.path() / "in.json";
  const auto link = folder.path() / "link.json";
  const auto hard = folder.path() / "hard.json";
  std::filesystem::create_symlink(in, link);
  std::filesystem::create_hard_link(in, hard);
  for (const auto& name : {in, folder.path() / "." / "in.json", link, hard})
    EXPECT_NE(refusal({in}, {{"--json", name}}).find("would overwrite the input"),
              std::string::npos)
        << name;
  EXPECT_EQ(refusal({in}, {{"--json", folder.path() / "out.json"}}), "");
}

TEST(OutputFilesTest, TwoOutputsOfOneNameAreRefusedBeforeEitherExists) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "new" / "x.out";
  const auto same = folder.path() / "new" / ".." / "new" / "x.out";
  EXPECT_NE(refusal({}, {{"--csv", out}, {"--html", same}}).find("--csv and --html name one file"),
            std::string::npos);
  EXPECT_EQ(refusal({}, {{"--csv", out}, {"--html", folder.path() / "y.out"}}), "");
}

TEST(OutputFilesTest, WhatKeepsNothingMayBeNamedTwice) {
  EXPECT_EQ(refusal({}, {{"--csv", "/dev/null"}, {"--html", "/dev/null"}}), "");
}

}  // namespace
}  // namespace ridgeline
