#include "cli/numbers.h"

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

// Empty when the text is taken.
std::string said(const CLI::Validator& validator, std::string text) { return validator(text); }

TEST(WholeNumberTest, BothEndsAreTaken) {
  const auto validator = whole_number(1, 4096);
  for (const char* good : {"1", "7", "4096"}) EXPECT_EQ(said(validator, good), "") << good;
  EXPECT_EQ(
      said(whole_number(0, std::numeric_limits<std::uint64_t>::max()), "18446744073709551615"), "");
}

TEST(WholeNumberTest, EverythingElseIsRefusedWithWhatIsTaken) {
  for (const char* bad : {"0", "4097", "-1", "+1", "1.5", "1e3", "", " 1", "1 ", "0x10", "many",
                          "99999999999999999999999", "inf", "nan"}) {
    EXPECT_EQ(said(whole_number(1, 4096), bad),
              std::string("'") + bad + "' is not a whole number from 1 to 4096");
  }
}

TEST(NumberBetweenTest, BothEndsAreTakenAndNanIsNot) {
  for (const char* good : {"0", "0.5", "1", "1e-9"})
    EXPECT_EQ(said(number_between(0, 1), good), "") << good;
  for (const char* bad : {"nan", "-nan", "inf", "-1e-9", "1.01", "", "x"}) {
    EXPECT_EQ(said(number_between(0, 1), bad),
              std::string("'") + bad + "' is not a number from 0 to 1");
  }
}

TEST(PositiveNumberTest, AnythingAboveZeroUpToTheMostIsTaken) {
  const auto validator = positive_number(100);
  for (const char* good : {"1", "0.000001", "2.5", "1e-3", "100"})
    EXPECT_EQ(said(validator, good), "") << good;
}

TEST(PositiveNumberTest, InfinityNanAndTheRestAreRefusedInOneShortLine) {
  for (const char* bad : {"0", "-1", "inf", "-inf", "nan", "1e400", "100.5", "1,5", "", "x"}) {
    EXPECT_EQ(said(positive_number(100), bad),
              std::string("'") + bad + "' is not a number above 0 and up to 100");
  }
}

TEST(PositiveNumberTest, AHostileTextCannotSteerTheTerminal) {
  const std::string message = said(positive_number(100), "\x1b[2J\n" + std::string(1000, '9'));
  EXPECT_EQ(message.find_first_of("\x1b\n"), std::string::npos);
  EXPECT_LT(message.size(), 120U);
  EXPECT_THAT(message, HasSubstr("above 0"));
}

}  // namespace
}  // namespace ridgeline
