#include "data/content_sum.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "data/image_array.h"
#include "data/image_folder.h"
#include "data/text.h"

namespace ridgeline {
namespace {

using testing::StartsWith;

ImageArray::Content images(std::uint8_t grey, int label) {
  return {
      .height = 1, .width = 1, .pixels = {grey, 1, 1}, .labels = {label}, .classes = {"a", "b"}};
}

std::string identity(ImageArray::Content train, ImageArray::Content test) {
  return identity_of({.train = std::make_unique<ImageArray>(std::move(train)),
                      .test = std::make_unique<ImageArray>(std::move(test)),
                      .description = "described",
                      .kind = "dots"});
}

std::string sum_of(const std::string& bytes) {
  ContentSum sum;
  sum.add_spread(bytes.size(), [&](std::uint64_t offset, std::size_t size) {
    return std::string_view(bytes).substr(offset, size);
  });
  return sum.finish();
}

TEST(ContentSumTest, AnyPixelLabelOrTestImageMakesOtherData) {
  const std::string one = identity(images(7, 0), images(9, 1));
  EXPECT_THAT(one, StartsWith("dots, 1 + 1 images, sum "));
  EXPECT_EQ(one, identity(images(7, 0), images(9, 1)));
  EXPECT_NE(one, identity(images(8, 0), images(9, 1)));
  EXPECT_NE(one, identity(images(7, 1), images(9, 1)));
  EXPECT_NE(one, identity(images(7, 0), images(8, 1)));
}

TEST(ContentSumTest, LargeContentIsSummedAtItsEndsAndByItsSize) {
  std::string bytes(40'000'001, 'x');
  const std::string whole = sum_of(bytes);
  EXPECT_EQ(whole.size(), 16U);
  EXPECT_EQ(whole, sum_of(bytes));
  bytes.front() = 'y';
  EXPECT_NE(whole, sum_of(bytes));
  bytes.front() = 'x';
  bytes.pop_back();
  EXPECT_NE(whole, sum_of(bytes));
}

TEST(ContentSumTest, EveryByteOfASmallTextCounts) {
  std::string bytes(300'000, 'x');
  const std::string whole = sum_of(bytes);
  for (const std::size_t at : {0U, 65'536U, 299'999U}) {
    std::string other = bytes;
    other[at] = 'y';
    EXPECT_NE(whole, sum_of(other)) << at;
  }
  EXPECT_EQ(sum_of("").size(), 16U);
}

TEST(ContentSumTest, AFolderIsTheSameElsewhereAndWithAMendedFile) {
  const TemporaryFolder one;
  const TemporaryFolder two;
  for (const char* name : {"a/1.png", "a/2.png", "b/1.png", "b/2.png"}) {
    one.put(name, "broken");
    two.put(name, "mended");
  }
  const std::string before = identity_of(open_image_folder(one.path()));
  EXPECT_THAT(before, StartsWith("image folder, 2 + 2 images"));
  EXPECT_EQ(before, identity_of(open_image_folder(two.path())));
  std::filesystem::rename(two.path() / "a/1.png", two.path() / "a/0.png");
  EXPECT_NE(before, identity_of(open_image_folder(two.path())));
}

TEST(ContentSumTest, ATextIsKnownByItsBytesWhateverIsHeldOut) {
  const TemporaryFolder folder;
  const auto identity = [&](const std::string& text, std::uint64_t hold_out) {
    folder.put("text.txt", text);
    return open_text({.path = folder.path() / "text.txt", .hold_out = hold_out})->identity();
  };
  EXPECT_THAT(identity("some text", 0), StartsWith("a text of 9 bytes, sum "));
  EXPECT_EQ(identity("some text", 0), identity("some text", 3));
  EXPECT_NE(identity("some text", 0), identity("some test", 0));
}

}  // namespace
}  // namespace ridgeline
