#include "core/text.h"

#include <random>

#include <gmock/gmock.h>

#include "core/fault_of.h"

namespace ridgeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal(std::string_view text) {
  return message_of(Fault::BadInput, [&] { (void)parse_positive_list("--batch-size", text); });
}

TEST(NearestTest, ATypoFindsItsWord) {
  const std::vector<std::string_view> words{"transformer", "tiny-llama", "resnet18", "resnet50"};
  EXPECT_EQ(nearest("transfomer", words), "transformer");
  EXPECT_EQ(nearest("RESNET50", words), "resnet50");
  EXPECT_EQ(nearest("resent18", words), "resnet18");
}

TEST(NearestTest, LettersThatChangedPlacesAreOneMistake) {
  EXPECT_EQ(nearest("bnech", {"run", "bench"}), "bench");
  EXPECT_EQ(nearest("rnu", {"run", "bench"}), "run");
  EXPECT_EQ(nearest("nbehc", {"run", "bench"}), std::nullopt);
}

TEST(NearestTest, NothingNearIsAbsent) {
  EXPECT_EQ(nearest("cat", {"transformer", "resnet18"}), std::nullopt);
  EXPECT_EQ(nearest("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
  EXPECT_EQ(nearest("q", {"x"}), std::nullopt);  // every letter would be wrong
}

TEST(UnknownWordTest, TheNearestIsNamedWithAllThereAre) {
  EXPECT_EQ(unknown_word("size", "smal", {"small", "large"}),
            "unknown size 'smal' (did you mean 'small'?); one of: small, large");
  EXPECT_EQ(unknown_word("size", "huge", {"small", "large"}),
            "unknown size 'huge'; one of: small, large");
}

TEST(UnknownWordTest, AHostileWordStaysOneShortLine) {
  const std::string message = unknown_word("size", "a\n\x1b[2J" + std::string(500, 'x'), {"b"});
  EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos);
  EXPECT_LT(message.size(), 100U);
}

TEST(LastLineTest, BlankLinesAndBlanksAtTheEndDoNotCount) {
  EXPECT_EQ(last_line("plot x\n     ^\nline 3: undefined: x \r\n\n"), "line 3: undefined: x");
  EXPECT_EQ(last_line("one"), "one");
  EXPECT_EQ(last_line(" \n\t\n"), "");
  EXPECT_EQ(last_line(""), "");
}

TEST(SplitListTest, CommasAndBlanksSeparate) {
  EXPECT_THAT(split_list("a,b c\t d,,e "), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(split_list(" ,, "), IsEmpty());
  EXPECT_THAT(split_list(""), IsEmpty());
}

TEST(ParseListTest, ListsAndRangesAreExpanded) {
  EXPECT_THAT(parse_positive_list("--n", "1,2,4"), ElementsAre(1, 2, 4));
  EXPECT_THAT(parse_positive_list("--n", "3-6"), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(parse_positive_list("--n", "1-64*2"), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(parse_positive_list("--n", "1-100*4"), ElementsAre(1, 4, 16, 64));
  EXPECT_THAT(parse_positive_list("--n", "10-50+20"), ElementsAre(10, 30, 50));
  EXPECT_THAT(parse_positive_list("--n", "7-7, 9"), ElementsAre(7, 9));
}

TEST(ParseListTest, TheMinimumIsTheCallers) {
  EXPECT_THAT(parse_list_at_least("--n", "0-20+5", 0), ElementsAre(0, 5, 10, 15, 20));
  EXPECT_THAT(parse_list_at_least("--n", "0", 0), ElementsAre(0));
  EXPECT_THAT(message_of(Fault::BadInput, [] { (void)parse_list_at_least("--n", "0-8*2", 0); }),
              HasSubstr("factor"));
}

TEST(ParseListTest, TheLargestNumberDoesNotOverflow) {
  constexpr long kMost = std::numeric_limits<long>::max();
  const std::string most = std::to_string(kMost);
  EXPECT_THAT(parse_positive_list("--n", most + "-" + most), ElementsAre(kMost));
  const std::string two_to_62 = std::to_string(1L << 62);
  EXPECT_THAT(parse_positive_list("--n", two_to_62 + "-" + most + "*2"), ElementsAre(1L << 62));
}

TEST(ParseListTest, ARefusalNamesFlagItemAndExampleInOneLine) {
  const std::string message = refusal("4,eight");
  EXPECT_THAT(message, HasSubstr("--batch-size"));
  EXPECT_THAT(message, HasSubstr("'eight'"));
  EXPECT_THAT(message, HasSubstr("1-64*2"));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(ParseListTest, NonsenseIsRefusedWithItsReason) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal(" , "), HasSubstr("empty"));
  EXPECT_THAT(refusal("0"), HasSubstr("below 1"));
  EXPECT_THAT(refusal("-4"), HasSubstr("below 1"));
  EXPECT_THAT(refusal("2.5"), HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("1-"), HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("1-8*"), HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("+4"), HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("99999999999999999999"), HasSubstr("too large"));
  EXPECT_THAT(refusal("8-4"), HasSubstr("ends before it starts"));
  EXPECT_THAT(refusal("1-8*1"), HasSubstr("factor"));
  EXPECT_THAT(refusal("1-8*-2"), HasSubstr("factor"));
  EXPECT_THAT(refusal("1-8+0"), HasSubstr("step"));
  EXPECT_THAT(refusal("1-9000000000"), HasSubstr("more than 10000"));
}

TEST(ParseListTest, AHostileItemCannotSteerTheTerminal) {
  EXPECT_EQ(refusal("1,\x1b[2J").find('\x1b'), std::string::npos);
}

TEST(ParseListTest, RandomTextIsReadOrRefusedButNeverAnythingElse) {
  constexpr std::string_view kAlphabet = "0123456789-*+, .x\xff";
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
  std::uniform_int_distribution<int> length(0, 12);
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = length(random); i > 0; --i) text += kAlphabet[letter(random)];
    try {
      for (const long value : parse_positive_list("--n", text)) ASSERT_GE(value, 1) << text;
      ++read;
    } catch (const Error& error) {
      ASSERT_EQ(static_cast<int>(error.fault()), static_cast<int>(Fault::BadInput)) << text;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(ParseDurationTest, UnitsAreUnderstood) {
  EXPECT_DOUBLE_EQ(parse_duration("--budget", "20s").count(), 20);
  EXPECT_DOUBLE_EQ(parse_duration("--budget", "1500ms").count(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration("--budget", "250us").count(), 250e-6);
  EXPECT_DOUBLE_EQ(parse_duration("--budget", " 2 m ").count(), 120);
  EXPECT_DOUBLE_EQ(parse_duration("--budget", "1.5h").count(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("--budget", "60").count(), 60);
}

TEST(ParseDurationTest, NonsenseIsRefused) {
  for (const char* text : {"", "s", "fast", "-3s", "0s", "20 parsecs", "inf", "nans", "1e5s",
                           "9999999999h", "1m30s", "20s,40s"}) {
    EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)parse_duration("--budget", text); }),
                HasSubstr("--budget"))
        << text;
  }
}

}  // namespace
}  // namespace ridgeline
