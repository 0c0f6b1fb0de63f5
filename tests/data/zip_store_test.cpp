#include "data/zip_store.h"

#include <gmock/gmock.h>

#include "core/atomic_file.h"
#include "core/fault_of.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"
#include "data/arrays.h"
#include "data/little_endian.h"
#include "data/zip_writer.h"

namespace ridgeline {
namespace {

using ::testing::HasSubstr;

constexpr Bytes kPlenty{1e7};

std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries,
                   const ZipWriter::Options& options = {}) {
  const TemporaryFolder folder;
  ZipWriter writer(folder.path() / "z", options);
  for (const auto& [name, content] : entries) writer.add(name, content);
  writer.finish();
  return read_file(folder.path() / "z", kPlenty);
}

std::string text_of(const ZipStore& zip, std::string_view name) {
  const auto bytes = zip.checked_bytes(*zip.find(name));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string complaint(const std::string& file) {
  return message_of(Fault::BadInput, [&] { const ZipStore zip(bytes_of(file), "z.pt"); });
}

template <class Number>
std::string with(std::string file, std::size_t offset, Number number) {
  std::string raw;
  append_number(raw, number);
  return file.replace(offset, raw.size(), raw);
}

const std::vector<std::pair<std::string, std::string>> kTwo{{"a/one", "first"},
                                                            {"a/two", std::string(100, 'x')}};

TEST(ZipStoreTest, EntriesComeBackAligned) {
  const std::string file = zip_of({{"a/one", "first"}, {"a/empty", ""}, {"a/two", "second"}});
  const ZipStore zip(bytes_of(file), "z.pt");
  EXPECT_EQ(zip.entries().size(), 3U);
  EXPECT_EQ(text_of(zip, "a/one"), "first");
  EXPECT_EQ(text_of(zip, "a/empty"), "");
  EXPECT_EQ(text_of(zip, "a/two"), "second");
  EXPECT_EQ(zip.find("a/three"), nullptr);
  for (const ZipEntry& entry : zip.entries()) EXPECT_EQ(entry.begin % 64, 0U) << entry.name;
}

TEST(ZipStoreTest, NamesOfEveryLengthLeaveTheDataAligned) {
  for (std::size_t size = 1; size < 140; ++size) {
    const std::string file = zip_of({{std::string(size, 'n'), "data"}});
    EXPECT_EQ(ZipStore(bytes_of(file), "z").entries()[0].begin % 64, 0U);
  }
}

TEST(ZipStoreTest, SixtyFourBitSizesAndPlacesComeBack) {
  for (const std::uint64_t threshold : {0, 2, 50, 200}) {
    const std::string file = zip_of(kTwo, {.first_64_bit = threshold});
    const ZipStore zip(bytes_of(file), "z.pt");
    EXPECT_EQ(text_of(zip, "a/one"), "first") << threshold;
    EXPECT_EQ(text_of(zip, "a/two"), std::string(100, 'x')) << threshold;
  }
}

TEST(ZipStoreTest, AnArchiveWithoutEntriesIsEmpty) {
  EXPECT_TRUE(ZipStore(bytes_of(zip_of({})), "z").entries().empty());
}

TEST(ZipStoreTest, CutShortAnywhereIsRefused) {
  const std::string file = zip_of(kTwo);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(ZipStore(bytes_of(file).first(size), "z"), Error) << size;
  }
}

TEST(ZipStoreTest, DamagedContentIsFoundByItsChecksum) {
  std::string file = zip_of(kTwo);
  file[file.find("first")] = 'F';
  const ZipStore zip(bytes_of(file), "z.pt");
  EXPECT_THAT(message_of(Fault::BadInput, [&] { (void)text_of(zip, "a/one"); }),
              HasSubstr("'a/one' is damaged"));
}

// Offsets below are those of APPNOTE's tables within a record.
std::size_t central(const std::string& file, std::size_t which = 0) {
  std::size_t at = file.find("PK\x01\x02");
  while (which-- > 0) at = file.find("PK\x01\x02", at + 1);
  return at;
}

TEST(ZipStoreTest, CompressedAndEncryptedEntriesAreRefused) {
  const std::string file = zip_of(kTwo);
  EXPECT_THAT(complaint(with<std::uint16_t>(file, central(file) + 10, 8)),
              HasSubstr("'a/one' is compressed (method 8)"));
  EXPECT_THAT(complaint(with<std::uint16_t>(file, 8, 8)), HasSubstr("compressed in its own"));
  EXPECT_THAT(complaint(with<std::uint16_t>(file, central(file) + 8, 1)), HasSubstr("encrypted"));
}

TEST(ZipStoreTest, SizesAndPlacesThatLieAreRefused) {
  const std::string file = zip_of(kTwo);
  const std::size_t entry = central(file);
  EXPECT_THAT(complaint(with<std::uint32_t>(file, entry + 24, 6)), HasSubstr("two sizes"));
  std::string longer = with<std::uint32_t>(file, entry + 24, 9999);
  longer = with<std::uint32_t>(longer, entry + 20, 9999);
  EXPECT_THAT(complaint(longer), HasSubstr("two sizes"));
  EXPECT_THAT(complaint(with<std::uint32_t>(longer, 22, 9999)), HasSubstr("beyond the data"));
  EXPECT_THAT(complaint(with<std::uint32_t>(file, entry + 42, 1)), HasSubstr("no header"));
  EXPECT_THAT(complaint(with<std::uint32_t>(file, entry + 42, 0xfffffff0)), HasSubstr("no header"));
  EXPECT_THAT(complaint(with<std::uint32_t>(file, entry + 42, 0xffffffff)), HasSubstr("no header"));
}

TEST(ZipStoreTest, OverlapsAndTwinsAreRefused) {
  const std::string file = zip_of({{"a/one", "x"}, {"a/two", "y"}});
  // The second entry says it is the first.
  std::string twin = with<std::uint32_t>(file, central(file, 1) + 42, 0);
  twin.replace(central(file, 1) + 46, 5, "a/one");
  EXPECT_THAT(complaint(twin), HasSubstr("overlap"));
  const std::string twice = zip_of({{"a/one", "x"}, {"a/one", "y"}});
  EXPECT_THAT(complaint(twice), HasSubstr("'a/one' stands twice"));
}

TEST(ZipStoreTest, NamesThatLeaveTheFolderAreRefused) {
  for (const char* const name : {"../x", "/x", "a/../../x", "a\\x", ""}) {
    EXPECT_THAT(complaint(zip_of({{name, "x"}})), HasSubstr("leave its folder")) << name;
  }
}

TEST(ZipStoreTest, ADirectoryThatLiesIsRefused) {
  const std::string file = zip_of(kTwo);
  const std::size_t end = file.size() - 22;
  EXPECT_THAT(complaint(with<std::uint16_t>(file, end + 10, 60000)), HasSubstr("more entries"));
  EXPECT_THAT(complaint(with<std::uint16_t>(file, end + 10, 1)), HasSubstr("longer than"));
  EXPECT_THAT(complaint(with<std::uint32_t>(file, end + 12, 0xffffffff)), HasSubstr("beyond"));
  EXPECT_THAT(complaint(with<std::uint32_t>(file, end + 16, 0xffffffff)), HasSubstr("beyond"));
  EXPECT_THAT(complaint(with<std::uint16_t>(file, end + 4, 1)), HasSubstr("several parts"));
}

TEST(ZipWriterTest, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  folder.put("z", "old");
  {
    const FileSizeLimit limit(4096);
    (void)message_of(Fault::Io, [&] {
      ZipWriter writer(folder.path() / "z");
      writer.add("a", std::string(10000, 'x'));
      writer.finish();
    });
  }
  EXPECT_EQ(read_file(folder.path() / "z", kPlenty), "old");
}

}  // namespace
}  // namespace ridgeline
