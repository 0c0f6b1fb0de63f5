#include "profile/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "core/atomic_file.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

std::string unpacked(const std::filesystem::path& path) {
  std::string text;
  const gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 4096> block{};
  for (int got = 0; (got = gzread(file, block.data(), block.size())) > 0;)
    text.append(block.data(), static_cast<std::size_t>(got));
  EXPECT_EQ(gzclose(file), Z_OK);
  return text;
}

TEST(TextFileTest, AGzipFileHoldsWhatWasWritten) {
  const TemporaryFolder folder;
  std::string expected;
  {
    TextFile file(folder.path() / "a.json.gz");
    for (int i = 0; i < 100'000; ++i) {
      const std::string line = std::to_string(i * 7919) + "\n";
      file.write(line);
      expected += line;
    }
    file.commit();
  }
  EXPECT_EQ(unpacked(folder.path() / "a.json.gz"), expected);
  EXPECT_LT(std::filesystem::file_size(folder.path() / "a.json.gz"), expected.size() / 2);
}

TEST(TextFileTest, AnEmptyGzipFileIsOneToo) {
  const TemporaryFolder folder;
  TextFile file(folder.path() / "a.gz");
  file.commit();
  EXPECT_EQ(unpacked(folder.path() / "a.gz"), "");
  EXPECT_GT(std::filesystem::file_size(folder.path() / "a.gz"), 0);
}

TEST(TextFileTest, WithoutCommitThereIsNoFile) {
  const TemporaryFolder folder;
  { TextFile(folder.path() / "a.txt").write("half"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TextFileTest, OtherNamesArePlainText) {
  const TemporaryFolder folder;
  TextFile file(folder.path() / "a.json");
  file.write("{}");
  file.commit();
  EXPECT_EQ(read_file(folder.path() / "a.json", {100}), "{}");
}

TEST(TextFileTest, EscapedTextReadsBackAsItWas) {
  const std::string text = "quote \" backslash \\ tab \t null-ish \x01 é";
  EXPECT_EQ(nlohmann::json::parse("\"" + json_escaped(text) + "\"").get<std::string>(), text);
}

}  // namespace
}  // namespace ridgeline
