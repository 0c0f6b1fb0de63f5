#include "core/malformed.h"

#include <gmock/gmock.h>

namespace ridgeline {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(MalformedTest, TheLineNamesFileReasonAndPlace) {
  EXPECT_STREQ(malformed("a/ü.pt", "no zip").what(), "cannot read 'a/ü.pt': no zip");
  EXPECT_STREQ(malformed("a.pt", 7, "no zip").what(), "cannot read 'a.pt': no zip (at byte 7)");
}

TEST(MalformedTest, ANameThatSteersTerminalsOrNeverEndsIsCleaned) {
  const std::string name = "a\x1b[2J\r\nb" + std::string(70000, 'x');
  for (const Error& error : {malformed(name, "no zip"), malformed(name, 7, "no zip")}) {
    const std::string line = error.what();
    EXPECT_THAT(line, Not(AnyOf(HasSubstr("\x1b"), HasSubstr("\r"), HasSubstr("\n"))));
    EXPECT_THAT(line, HasSubstr("no zip"));
    EXPECT_LT(line.size(), 1200U);
  }
}

}  // namespace
}  // namespace ridgeline
