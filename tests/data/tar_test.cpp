#include "data/tar.h"

#include <gmock/gmock.h>

#include "core/fault_of.h"
#include "data/archive_builder.h"
#include "data/arrays.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;
using Specs = std::vector<TarSpec>;

constexpr std::uint64_t kLimit = 1U << 20U;

// "name=content;" for every file.
std::string listing(const std::string& archive) {
  TarReader tar(bytes_of(archive), "a.tar");
  std::string text;
  while (const auto member = tar.next()) {
    const auto content = tar.read(kLimit);
    text += member->name + "=" +
            std::string(reinterpret_cast<const char*>(content.data()), content.size()) + ";";
  }
  return text;
}

std::string complaint(const std::string& archive) {
  return message_of(Fault::BadInput, [&] { (void)listing(archive); });
}

TEST(TarTest, FilesComeInOrderAndFoldersArePassedOver) {
  const Specs specs{{.name = "d/", .content = "", .type = '5'},
                    {.name = "d/a", .content = "one"},
                    {.name = "d/empty", .content = ""},
                    {.name = "d/b", .content = std::string(512, 'x'), .type = '\0', .gnu = true}};
  EXPECT_EQ(listing(tar_of(specs)), "d/a=one;d/empty=;d/b=" + std::string(512, 'x') + ";");
}

TEST(TarTest, GzipIsUnpackedOnTheWay) {
  const std::string plain = tar_of(Specs{{.name = "a", .content = std::string(100000, 'x')}});
  EXPECT_EQ(listing(gzip_of(plain)), listing(plain));
  // In two gzip parts, one after the other.
  EXPECT_EQ(listing(gzip_of(plain.substr(0, 700)) + gzip_of(plain.substr(700))), listing(plain));
}

TEST(TarTest, WhatIsNotReadIsPassedOver) {
  const std::string archive = gzip_of(tar_of(
      Specs{{.name = "a", .content = std::string(90000, 'x')}, {.name = "b", .content = "two"}}));
  TarReader tar(bytes_of(archive), "a.tar");
  EXPECT_EQ(tar.next()->name, "a");
  EXPECT_EQ(tar.next()->name, "b");
  EXPECT_EQ(tar.read(kLimit).size(), 3U);
  EXPECT_FALSE(tar.next());
}

TEST(TarTest, AMissingEndMarkIsTolerated) {
  EXPECT_EQ(listing(tar_block({.name = "a", .content = "x"})), "a=x;");
  EXPECT_EQ(listing(""), "");
}

TEST(TarTest, TimesInExtensionHeadersArePassedOverAndNamesAreNot) {
  const TarSpec file{.name = "a", .content = "x"};
  EXPECT_EQ(
      listing(tar_of(Specs{{.name = "pax", .content = "14 mtime=12.5\n", .type = 'x'}, file})),
      "a=x;");
  EXPECT_THAT(
      complaint(tar_of(Specs{{.name = "p", .content = "12 path=xyz\n", .type = 'x'}, file})),
      HasSubstr("'path'"));
  EXPECT_THAT(
      complaint(tar_of(Specs{{.name = "p", .content = "99 path=xyz\n", .type = 'x'}, file})),
      HasSubstr("damaged extension"));
  EXPECT_THAT(complaint(tar_of(Specs{{.name = "p", .content = "0 a=1\n", .type = 'g'}, file})),
              HasSubstr("damaged extension"));
  EXPECT_THAT(
      complaint(tar_of(Specs{{.name = "././@LongLink", .content = "n", .type = 'L'}, file})),
      HasSubstr("extension"));
}

TEST(TarTest, MembersThatClimbOutAndLinksAreRefused) {
  for (const char* const name : {"../a", "/etc/passwd", "d/../../a", "d\\a"}) {
    EXPECT_THAT(complaint(tar_of(Specs{{.name = name, .content = "x"}})),
                HasSubstr("leave its folder"));
  }
  for (const char type : {'1', '2', '3', '4', '6', '7', 'S'}) {
    EXPECT_THAT(complaint(tar_of(Specs{{.name = "a", .content = "", .type = type}})),
                HasSubstr("only files and folders"));
  }
}

TEST(TarTest, CutShortAnywhereIsRefusedOrTheEnd) {
  const std::string archive = tar_of(Specs{{.name = "a", .content = std::string(600, 'x')}});
  EXPECT_THAT(complaint(archive.substr(0, 100)), HasSubstr("ends within a header"));
  EXPECT_THAT(complaint(archive.substr(0, 1000)), HasSubstr("ends early"));
  const std::string packed = gzip_of(archive);
  for (std::size_t size = 3; size < packed.size(); ++size) {
    EXPECT_THROW((void)listing(packed.substr(0, size)), Error) << size;
  }
}

TEST(TarTest, DamageIsFound) {
  std::string archive = tar_of(Specs{{.name = "a", .content = "x"}});
  archive[3] = 'b';
  EXPECT_THAT(complaint(archive), HasSubstr("damaged header"));
  EXPECT_THAT(complaint("this is no archive at all" + std::string(600, 'x')),
              HasSubstr("no tar archive"));
  std::string packed = gzip_of(tar_of(Specs{{.name = "a", .content = "x"}}));
  packed[packed.size() / 2] = static_cast<char>(~packed[packed.size() / 2]);
  EXPECT_THROW((void)listing(packed), Error);
}

TEST(TarTest, SizesAreBounded) {
  const std::string archive = tar_of(Specs{{.name = "a", .content = std::string(2000, 'x')}});
  TarReader tar(bytes_of(archive), "a.tar");
  ASSERT_TRUE(tar.next());
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)tar.read(1999); }),
              HasSubstr("2000 bytes, more than 1999"));
}

}  // namespace
}  // namespace ridgeline
