#include "roofline/ncu_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(NcuMessagesTest, RangesBecomeAPath) {
  EXPECT_EQ(ncu_range_path(R"(3984  "<default domain>:train_step:none:none:none:none:none:none"  )"
                           R"("<default domain>:forward:none:none:none:none:none:none" )"),
            "train_step/forward");
  EXPECT_EQ(ncu_range_path(R"(1 "d:a::b:none:none:none:none:none:none")"), "a::b");
  EXPECT_EQ(ncu_range_path(""), "");
  EXPECT_EQ(ncu_range_path("\"no colons\""), "");
  EXPECT_EQ(ncu_range_path("\"d:short:none\""), "short");
  EXPECT_EQ(ncu_range_path("\"open"), "");
}

TEST(NcuMessagesTest, OnlyErrorsAndWarningsAreKeptOnceAndAFew) {
  std::vector<std::string> messages;
  std::string text = "==PROF== x\n==ERROR== one\r\n==ERROR== one\n==WARNING== two\x1b[31m\n";
  for (int i = 0; i < 50; ++i) text += "==ERROR== number " + std::to_string(i) + "\n";
  keep_ncu_messages(text, messages);
  ASSERT_EQ(messages.size(), 8U);
  EXPECT_EQ(messages[0], "==ERROR== one");
  EXPECT_THAT(messages[1], testing::Not(testing::HasSubstr("\x1b")));
}

TEST(NcuMessagesTest, AnErrorIsMoreTellingThanAWarning) {
  const Error error =
      no_ncu_table("==ERROR== the driver is old\n==WARNING== No kernels were profiled.\n", "f");
  EXPECT_THAT(error.what(), testing::HasSubstr("ncu says: ==ERROR== the driver is old"));
}

}  // namespace
}  // namespace ridgeline
