#include "report/growing_csv.h"

#include <gtest/gtest.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/file_size_limit.h"
#include "core/temporary_folder.h"

namespace ridgeline {
namespace {

CsvTable row(const std::string& step, const std::string& loss) {
  return {.header = {"step", "loss"}, .rows = {{step, loss}}};
}

struct GrowingCsvTest : testing::Test {
  [[nodiscard]] std::string content() const { return read_file(path, Bytes{1e6}); }
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "metrics.csv";
  GrowingCsv csv{path};
};

TEST_F(GrowingCsvTest, TheHeaderStandsOnceAndAnOlderFileIsGone) {
  folder.put("metrics.csv", "of another run\n");
  csv.add(row("1", "2.5"));
  EXPECT_EQ(content(), "step,loss\n1,2.5\n");
  csv.add(row("2", "2.25"));
  EXPECT_EQ(content(), "step,loss\n1,2.5\n2,2.25\n");
}

TEST_F(GrowingCsvTest, TheLastRowAloneIsReplaced) {
  csv.add(row("1", "2.5"));
  csv.add(row("2", ""));
  csv.replace_last(row("2", "2.25"));
  csv.add(row("3", "2"));
  EXPECT_EQ(content(), "step,loss\n1,2.5\n2,2.25\n3,2\n");
}

TEST_F(GrowingCsvTest, ADiskThatIsFullLeavesWholeLinesAndTakesTheNextOnceThereIsRoom) {
  csv.add(row("1", "2.5"));
  {
    const FileSizeLimit full(18);
    EXPECT_THROW(csv.add(row("2", "2.25")), Error);
  }
  EXPECT_EQ(content(), "step,loss\n1,2.5\n");
  csv.add(row("3", "2"));
  EXPECT_EQ(content(), "step,loss\n1,2.5\n3,2\n");
}

}  // namespace
}  // namespace ridgeline
