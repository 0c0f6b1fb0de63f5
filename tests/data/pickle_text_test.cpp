#include "data/pickle_text.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(PickleTextTest, OnlyShortestFormsOfRealCharactersAreUtf8) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("aé€😀"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));              // cut off
  EXPECT_FALSE(is_utf8("\xc0\x80"));          // a long way to write NUL
  EXPECT_FALSE(is_utf8("\xe0\x80\x80"));      // and a longer one
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // half of a surrogate pair
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_utf8("\x80"));
}

TEST(PickleTextTest, CharactersOfEveryLengthAreAppended) {
  std::string text;
  for (const char32_t character : {U'a', U'é', U'€', U'😀'}) append_utf8(text, character);
  EXPECT_EQ(text, "aé€😀");
}

TEST(PickleTextTest, EscapesAreUndone) {
  EXPECT_EQ(unescape_string(R"('a\t\'\x00\\')"), std::string("a\t'\0\\", 5));
  EXPECT_EQ(unescape_string(R"("it's")"), "it's");
  EXPECT_EQ(unescape_unicode(R"(\u20ac\U0001f600\n)"), "€😀\\n");
}

TEST(PickleTextTest, BrokenEscapesAreAbsent) {
  for (const char* const text : {"'", "'a", "a'", "'a\"", R"('\')", R"('\x1')", R"('\x-1')", ""}) {
    EXPECT_FALSE(unescape_string(text)) << text;
  }
  EXPECT_FALSE(unescape_unicode(R"(\u12)"));
  EXPECT_FALSE(unescape_unicode(R"(\ud800)"));
  EXPECT_FALSE(unescape_unicode(R"(\U00110000)"));
}

TEST(PickleTextTest, Latin1CharactersAreTheirBytes) {
  EXPECT_EQ(latin1_bytes("aÿ\xc2\x80"), "a\xff\x80");
  EXPECT_FALSE(latin1_bytes("€"));
  EXPECT_FALSE(latin1_bytes("Ā"));
}

}  // namespace
}  // namespace ridgeline
