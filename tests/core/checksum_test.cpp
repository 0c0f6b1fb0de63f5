#include "core/checksum.h"

#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/fault_of.h"
#include "core/md5.h"
#include "core/sha256.h"
#include "core/sha256_block.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

template <class Hash>
std::string sum(std::string_view text, std::size_t piece = 1000) {
  Hash hash;
  while (!text.empty()) {
    hash.update(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
  }
  return hash.finish();
}

// RFC 1321, appendix A.5.
TEST(ChecksumTest, Md5GivesThePublishedValues) {
  EXPECT_EQ(sum<Md5>(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(sum<Md5>("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(sum<Md5>("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(
      sum<Md5>("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
      "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(ChecksumTest, Md5OfSeveralSideBySideIsThatOfEachAlone) {
  std::vector<std::vector<std::byte>> contents;
  for (const std::size_t size : {0, 1, 64, 63, 65, 1000, 129, 128, 4096, 64 * 7, 5}) {
    auto& bytes = contents.emplace_back(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(31 * i + size);
  }
  for (std::size_t count = 0; count <= contents.size(); ++count) {
    for (std::size_t first = 0; first + count <= contents.size(); ++first) {
      const std::vector<std::span<const std::byte>> parts(
          contents.begin() + static_cast<std::ptrdiff_t>(first),
          contents.begin() + static_cast<std::ptrdiff_t>(first + count));
      const std::vector<std::string> sums = md5_of_each(parts);
      ASSERT_EQ(sums.size(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], md5_of(parts[i]));
    }
  }
  const std::vector<std::byte> large(100'000, std::byte{'a'});
  const std::span<const std::byte> whole(large);
  const std::vector<std::span<const std::byte>> parts{whole, whole.first(99'999), whole};
  EXPECT_EQ(md5_of_each(parts)[1], md5_of(parts[1]));
}

// FIPS 180-4's examples.
TEST(ChecksumTest, Sha256GivesThePublishedValues) {
  EXPECT_EQ(sum<Sha256>(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum<Sha256>("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum<Sha256>("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum<Sha256>(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ChecksumTest, TheProcessorsInstructionsGiveTheSameAsTheDefinition) {
  if (!has_sha_instructions()) GTEST_SKIP() << "this processor has no SHA instructions";
  Sha256State plain{1, 2, 3, 4, 5, 6, 7, 8};
  Sha256State fast = plain;
  std::array<unsigned char, 64> block{};
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < block.size(); ++i)
      block[i] = static_cast<unsigned char>(block[i] * 31 + i + 7);
    take_sha256_block(plain, block.data());
    take_sha256_block_fast(fast, block.data());
    EXPECT_EQ(fast, plain);
  }
}

TEST(ChecksumTest, HowTheBytesComeMakesNoDifference) {
  for (std::size_t length = 50; length < 140; ++length) {
    const std::string text(length, 'x');
    for (const std::size_t piece : {1U, 7U, 63U, 64U, 65U}) {
      EXPECT_EQ(sum<Md5>(text, piece), sum<Md5>(text));
      EXPECT_EQ(sum<Sha256>(text, piece), sum<Sha256>(text));
    }
  }
}

TEST(ChecksumTest, AFileSumsToItsContent) {
  const TemporaryFolder folder;
  folder.put("a", "abc");
  EXPECT_EQ(sum_of_file(Checksum::Kind::Md5, folder.path() / "a"), sum<Md5>("abc"));
  EXPECT_EQ(sum_of_file(Checksum::Kind::Sha256, folder.path() / "a"), sum<Sha256>("abc"));
  message_of(Fault::Io, [&] { (void)sum_of_file(Checksum::Kind::Md5, folder.path() / "none"); });
  message_of(Fault::Io, [&] { (void)sum_of_file(Checksum::Kind::Md5, folder.path()); });
}

TEST(ChecksumTest, TheBeginningOfASumIsEnoughAndNothingIsNot) {
  const std::string found = sum<Md5>("abc");
  EXPECT_TRUE(matches({Checksum::Kind::Md5, found}, found));
  EXPECT_TRUE(matches({Checksum::Kind::Md5, "90015098"}, found));
  EXPECT_TRUE(matches({Checksum::Kind::Md5, "900150983CD24FB0"}, found));
  EXPECT_FALSE(matches({Checksum::Kind::Md5, "90015099"}, found));
  EXPECT_FALSE(matches({Checksum::Kind::Md5, ""}, found));
  EXPECT_FALSE(matches({Checksum::Kind::Md5, found + "0"}, found));
}

}  // namespace
}  // namespace ridgeline
