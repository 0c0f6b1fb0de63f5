#include "data/md5.h"

#include <string_view>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

std::string md5_of(std::string_view text) { return md5_hex(std::as_bytes(std::span(text))); }

TEST(Md5Test, TheExamplesOfTheRfc) {
  EXPECT_EQ(md5_of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_of("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(
      md5_of("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
      "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5Test, EveryLengthAroundABlockGivesTheSameInPieces) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string text(size, 'x');
    for (const std::size_t piece : {1U, 7U, 64U, 65U}) {
      Md5 md5;
      for (std::size_t at = 0; at < size; at += piece) {
        md5.update(std::as_bytes(std::span(text).subspan(at, std::min(piece, size - at))));
      }
      EXPECT_EQ(md5.hex(), md5_of(text)) << size << " in pieces of " << piece;
    }
  }
}

TEST(Md5Test, PaddingThatNeedsABlockOfItsOwn) {
  // Known answers for 55, 56 and 64 letters: the length fits, does not fit, fills a block.
  EXPECT_EQ(md5_of(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
  EXPECT_EQ(md5_of(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
  EXPECT_EQ(md5_of(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
}

}  // namespace
}  // namespace ridgeline
