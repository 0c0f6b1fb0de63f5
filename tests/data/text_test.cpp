#include "data/text.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

constexpr auto kWords = TextOptions::Width::Words;
using Rows = std::vector<std::vector<std::int64_t>>;

Rows filled(const TokenSource& source, std::uint64_t step, std::size_t rows, std::size_t context) {
  std::vector<std::int64_t> flat(rows * (context + 1), -1);
  source.fill(step, rows, context, flat.data());
  Rows split;
  for (auto at = flat.begin(); at != flat.end(); at += static_cast<std::ptrdiff_t>(context + 1))
    split.emplace_back(at, at + static_cast<std::ptrdiff_t>(context + 1));
  return split;
}

std::string all_bytes() {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text.push_back(static_cast<char>(byte));
  return text;
}

TEST(TextTest, BytesAreTokensAndWindowsAreStretchesOfTheFile) {
  const TemporaryFolder folder;
  folder.put("a.txt", all_bytes());
  const auto source = open_text({.path = folder.path() / "a.txt"});
  EXPECT_EQ(source->vocab(), 256);
  EXPECT_EQ(source->size(), 256U);
  std::set<std::int64_t> starts;
  for (const auto& row : filled(*source, 0, 2000, 15)) {
    for (std::size_t i = 1; i < row.size(); ++i) EXPECT_EQ(row[i], row[0] + static_cast<int>(i));
    starts.insert(row[0]);
  }
  // Every place, the first and the last among them.
  EXPECT_EQ(starts.size(), 241U);
  EXPECT_EQ(*starts.begin(), 0);
  EXPECT_EQ(*starts.rbegin(), 240);
}

TEST(TextTest, TheHeldOutEndIsReadInOrderAndNeverTrainedOn) {
  const TemporaryFolder folder;
  folder.put("a.txt", all_bytes());
  const TextOptions training{.path = folder.path() / "a.txt", .hold_out = 56};
  EXPECT_EQ(open_text(training)->size(), 200U);
  for (const auto& row : filled(*open_text(training), 0, 2000, 15)) EXPECT_LT(row.back(), 200);
  TextOptions held_out = training;
  held_out.part = TextOptions::Part::HeldOut;
  const auto source = open_text(held_out);
  EXPECT_EQ(source->size(), 56U);
  const Rows rows = filled(*source, 1, 2, 10);
  EXPECT_EQ(rows[0].front(), 220);
  EXPECT_EQ(rows[1].front(), 230);
  EXPECT_EQ(rows[1].back(), 240);
  held_out.hold_out = 256;
  (void)message_of(Fault::BadInput, [&] { (void)open_text(held_out); });
}

TEST(TextTest, ARowIsAFunctionOfSeedStepAndRowAlone) {
  const TemporaryFolder folder;
  folder.put("a.txt", std::string(50, 'x') + all_bytes() + all_bytes());
  const auto source = open_text({.path = folder.path() / "a.txt", .seed = 7});
  const Rows wanted = filled(*source, 17, 8, 10);
  (void)filled(*source, 3, 5, 20);
  EXPECT_EQ(filled(*source, 17, 8, 10), wanted);
  EXPECT_EQ(filled(*open_text({.path = folder.path() / "a.txt", .seed = 7}), 17, 8, 10), wanted);
  const Rows fewer = filled(*source, 17, 3, 10);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), wanted.begin()));
  EXPECT_NE(filled(*source, 18, 8, 10), wanted);
  EXPECT_NE(filled(*open_text({.path = folder.path() / "a.txt", .seed = 8}), 17, 8, 10), wanted);
}

TEST(TextTest, TheNameOfAFileSaysNothingOfItsTokens) {
  const TemporaryFolder folder;
  folder.put("a.bin", "abc");
  const auto source = open_text({.path = folder.path() / "a.bin"});
  EXPECT_EQ(source->vocab(), 256);
  EXPECT_EQ(filled(*source, 0, 1, 2), (Rows{{'a', 'b', 'c'}}));
}

TEST(TextTest, WordsAreLittleEndianTokens) {
  const TemporaryFolder folder;
  folder.put("a.bin", std::string("\x01\x00\x00\x01\xff\xff", 6));
  const auto source = open_text({.path = folder.path() / "a.bin", .width = kWords});
  EXPECT_EQ(source->size(), 3U);
  EXPECT_EQ(source->vocab(), 65536);
  EXPECT_EQ(filled(*source, 0, 1, 2), (Rows{{1, 256, 65535}}));
}

TEST(TextTest, ATokenOutsideTheVocabularyIsRefusedWithItsPosition) {
  const TemporaryFolder folder;
  folder.put("a.bin", std::string("\x01\x00\x05\x00", 4));
  const auto source = open_text({.path = folder.path() / "a.bin", .width = kWords, .vocab = 5});
  const std::string message = message_of(Fault::BadInput, [&] { (void)filled(*source, 0, 1, 1); });
  EXPECT_NE(message.find("token 5 at position 1 (byte 2)"), std::string::npos) << message;
}

TEST(TextTest, ABytesTextThatAVocabularyDoesNotHoldIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  folder.put("a.txt", std::string(3 << 20, 'a') + "z");
  const auto path = folder.path() / "a.txt";
  EXPECT_EQ(open_text({.path = path, .vocab = 'z' + 1})->vocab(), 'z' + 1);
  const std::string message =
      message_of(Fault::BadInput, [&] { (void)open_text({.path = path, .vocab = 'z'}); });
  EXPECT_NE(message.find("token 122 at position 3145728"), std::string::npos) << message;
}

TEST(TextTest, TheShortestFileThatFitsIsOneRow) {
  const TemporaryFolder folder;
  folder.put("a.txt", "abcd");
  const auto source = open_text({.path = folder.path() / "a.txt"});
  EXPECT_EQ(filled(*source, 5, 1, 3), (Rows{{'a', 'b', 'c', 'd'}}));
  message_of(Fault::BadInput, [&] { (void)filled(*source, 5, 1, 4); });
}

TEST(TextTest, FilesThatHoldNoTokensAreRefused) {
  const TemporaryFolder folder;
  folder.put("empty.txt", "");
  folder.put("odd.bin", "abc");
  folder.put("fine.txt", "abc");
  message_of(Fault::BadInput, [&] { (void)open_text({.path = folder.path() / "empty.txt"}); });
  message_of(Fault::BadInput,
             [&] { (void)open_text({.path = folder.path() / "odd.bin", .width = kWords}); });
  message_of(Fault::Io, [&] { (void)open_text({.path = folder.path() / "none"}); });
  message_of(Fault::Io, [&] { (void)open_text({.path = folder.path()}); });
  message_of(Fault::BadInput, [&] { (void)open_text({.path = "/dev/zero"}); });
  message_of(Fault::BadInput,
             [&] { (void)open_text({.path = folder.path() / "fine.txt", .vocab = 257}); });
}

TEST(TextTest, AFileThatShrinksIsAnErrorNotACrash) {
  const TemporaryFolder folder;
  folder.put("a.txt", std::string(100000, 'x'));
  const auto source = open_text({.path = folder.path() / "a.txt"});
  fs::resize_file(folder.path() / "a.txt", 10);
  message_of(Fault::Io, [&] { (void)filled(*source, 0, 4, 100); });
}

TEST(RandomTokensTest, TokensAreUniformWithoutZero) {
  const auto source = make_random_tokens({.rows = 100, .context = 99, .vocab = 11});
  std::vector<int> counts(11);
  for (const auto& row : filled(*source, 0, 100, 99)) {
    for (const std::int64_t token : row) ++counts.at(static_cast<std::size_t>(token));
  }
  EXPECT_EQ(counts[0], 0);
  for (std::size_t token = 1; token < counts.size(); ++token) EXPECT_NEAR(counts[token], 1000, 150);
}

TEST(RandomTokensTest, AnEpochHoldsEveryRowOnceInAnOrderOfItsOwn) {
  const auto source = make_random_tokens({.rows = 40, .context = 16, .vocab = 1000});
  const Rows first = filled(*source, 0, 40, 16);
  const Rows second = filled(*source, 1, 40, 16);
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 40U);
  EXPECT_EQ(std::set(first.begin(), first.end()), std::set(second.begin(), second.end()));
}

TEST(RandomTokensTest, StepsFollowEachOtherAcrossEpochsWhateverTheBatch) {
  const auto source = make_random_tokens({.rows = 10, .context = 4, .vocab = 1000});
  const Rows whole = filled(*source, 0, 30, 4);
  Rows joined;
  for (std::uint64_t step = 0; step < 5; ++step) {
    for (auto& row : filled(*source, step, 6, 4)) joined.push_back(std::move(row));
  }
  EXPECT_EQ(joined, whole);
}

TEST(RandomTokensTest, AShorterContextIsTheBeginningOfTheRow) {
  const auto source = make_random_tokens({.rows = 10, .context = 8, .vocab = 1000});
  const Rows rows = filled(*source, 0, 10, 8);
  const Rows heads = filled(*source, 0, 10, 3);
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(std::equal(heads[i].begin(), heads[i].end(), rows[i].begin()));
  message_of(Fault::BadInput, [&] { (void)filled(*source, 0, 1, 9); });
  EXPECT_EQ(source->size(), 90U);
}

TEST(RandomTokensTest, AVocabularyWithoutTokensIsRefused) {
  message_of(Fault::BadInput, [] { (void)make_random_tokens({.vocab = 1}); });
  message_of(Fault::BadInput, [] { (void)make_random_tokens({.rows = 0}); });
}

}  // namespace
}  // namespace ridgeline
