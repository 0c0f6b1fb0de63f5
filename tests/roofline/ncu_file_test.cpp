#include "roofline/ncu_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"
#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

using testing::HasSubstr;

class NcuFileTest : public testing::Test {
 protected:
  // A program that stands in for ncu: it prints what `script` says.
  std::string fake_ncu(const std::string& script) {
    folder_.put("ncu", "#!/bin/sh\n" + script);
    std::filesystem::permissions(folder_.path() / "ncu", std::filesystem::perms::owner_all);
    return (folder_.path() / "ncu").string();
  }
  std::filesystem::path put(const std::string& name, const std::string& text) {
    folder_.put(name, text);
    return folder_.path() / name;
  }
  TemporaryFolder folder_;
};

TEST_F(NcuFileTest, ACsvIsReadAsItIs) {
  EXPECT_EQ(read_ncu_file(put("a.csv", good_long_csv())).points.size(), 2U);
}

TEST_F(NcuFileTest, AReportIsReadThroughNcu) {
  put("out.csv", good_long_csv());
  const std::string program = fake_ncu(
      "test \"$1 $3 $4 $5\" = '--import --csv --page raw' || exit 3\n"
      "test -f \"$2\" || exit 4\ncat \"$(dirname \"$2\")/out.csv\"\n");
  const NcuPoints read = read_ncu_file(put("r.ncu-rep", "NVR\x01"), {.ncu = program});
  EXPECT_EQ(read.points.size(), 2U);
  EXPECT_EQ(read_ncu_file(put("other.bin", "NVR\x01"), {.ncu = program}).points.size(), 2U);
}

TEST_F(NcuFileTest, WithoutNcuAReportIsRefusedWithTheCommandToRunElsewhere) {
  const auto file = put("r.ncu-rep", "NVR");
  EXPECT_THAT(
      message_of(Fault::Io, [&] { (void)read_ncu_file(file, {.ncu = "/nowhere/to/be/ncu"}); }),
      HasSubstr("ncu --import r.ncu-rep --csv --page raw"));
}

TEST_F(NcuFileTest, WhatNcuComplainsAboutIsPassedOn) {
  const auto file = put("r.ncu-rep", "NVR");
  const std::string program = fake_ncu("echo '==ERROR== Failed to open'\nexit 1\n");
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_ncu_file(file, {.ncu = program}); }),
              HasSubstr("==ERROR== Failed to open"));
}

TEST_F(NcuFileTest, AMissingFileIsOneLine) {
  EXPECT_THAT(message_of(Fault::Io, [&] { (void)read_ncu_file(folder_.path() / "no.csv"); }),
              HasSubstr("no.csv"));
}

}  // namespace
}  // namespace ridgeline
