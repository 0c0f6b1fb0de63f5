#include "trace/json_scan.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "stats/random.h"
#include "trace/json_cursor.h"

namespace ridgeline {
namespace {

// Where the container ends that the text begins with; -1 when it does not.
std::ptrdiff_t end_of(const JsonScan& scan, const std::string& text) {
  const std::string line = text + std::string(JsonCursor::kPadding, '\0');
  const char* const end = scan.container_end(line.data(), line.data() + text.size());
  return end == nullptr ? -1 : end - line.data();
}

TEST(JsonScanTest, AContainerEndsWithItsOwnBracket) {
  for (const JsonScan* const scan : {&kScalarJsonScan, &json_scan()}) {
    EXPECT_EQ(end_of(*scan, "[]"), 2);
    EXPECT_EQ(end_of(*scan, "[{}, [[]]], 7]"), 10);
    EXPECT_EQ(end_of(*scan, R"({"]}": "\"}", "b": [1]} })"), 23);
    EXPECT_EQ(end_of(*scan, "[[1, 2], [3"), -1);
    EXPECT_EQ(end_of(*scan, R"(["]])"), -1);
    for (std::size_t size = 0; size < 300; ++size) {
      const std::string deep = std::string(size, '[') + std::string(size, ']');
      EXPECT_EQ(end_of(*scan, "{" + deep + "}"), 2 * size + 2) << scan->name;
      const std::string wide = "[\"" + std::string(size, '}') + "\"]";
      EXPECT_EQ(end_of(*scan, wide + "]"), size + 4) << scan->name;
    }
  }
}

// Texts of little else than what matters, so that most bytes are at some edge.
TEST(JsonScanTest, TheFastestFindsTheSameEndsAsTheDefinition) {
  constexpr std::string_view kLetters = "[]{}\"\\ a[{]}";
  Random random(7, 0);
  for (int round = 0; round < 100'000; ++round) {
    const std::uint64_t plain = random.below(30);  // how often a letter means nothing
    std::string text(1, random.below(2) == 0 ? '[' : '{');
    for (std::uint64_t size = random.below(300); text.size() < size;) {
      const bool means = random.below(30) >= plain;
      // A rare escape, or every text would be the definition's alone.
      const char letter = means ? kLetters[random.below(kLetters.size())] : 'x';
      text += letter == '\\' && random.below(8) != 0 ? '[' : letter;
    }
    ASSERT_EQ(end_of(json_scan(), text), end_of(kScalarJsonScan, text)) << text;
  }
}

}  // namespace
}  // namespace ridgeline
