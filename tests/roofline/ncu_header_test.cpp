#include "roofline/ncu_header.h"

#include <gtest/gtest.h>

#include "roofline/ncu_text.h"

namespace ridgeline {
namespace {

TEST(NcuHeaderTest, LayoutsAreToldByTheirColumns) {
  EXPECT_EQ(ncu_columns({"ID", "Kernel Name", "Metric Name", "Metric Value"})->layout,
            NcuLayout::Long);
  EXPECT_EQ(ncu_columns({"ID", "Kernel Name", "gpu__time_duration.sum"})->layout, NcuLayout::Wide);
  EXPECT_EQ(ncu_columns({"Kernel Name", "Invocations", "Metric Name", "Average"})->layout,
            NcuLayout::Summary);
  EXPECT_FALSE(ncu_columns({"ID", "Metric Name", "Metric Value"}));
  EXPECT_FALSE(ncu_columns({"Kernel Name", "gpu__time_duration.sum"}));
  EXPECT_FALSE(ncu_columns({}));
}

TEST(NcuHeaderTest, TheFirstLineThatIsAHeaderIsTaken) {
  const std::string text = "the Kernel Name is x\n\"Kernel Name\",\"broken\nnoise\n" +
                           std::string(kLongHeader) + "\nrest";
  const auto header = find_ncu_header(text);
  ASSERT_TRUE(header);
  EXPECT_EQ(text.substr(header->rows_begin), "rest");
  EXPECT_EQ(header->delimiter, ',');
  EXPECT_TRUE(header->quoted);
  EXPECT_FALSE(find_ncu_header("Kernel Name"));
  EXPECT_FALSE(find_ncu_header(""));
}

TEST(NcuHeaderTest, AHeaderMayFollowALineThatTheProgramDidNotEnd) {
  for (const std::string before : {"step 21/21 loss 2.3", "step 1\rstep 2\r", "==PROF== \"x\" "}) {
    const std::string text = before + std::string(kLongHeader) + "\nrest";
    const auto header = find_ncu_header(text);
    ASSERT_TRUE(header) << before;
    EXPECT_EQ(header->columns.id, 0U);
    EXPECT_TRUE(header->quoted);
    EXPECT_EQ(text.substr(header->rows_begin), "rest");
  }
}

TEST(NcuHeaderTest, AQuotedHeaderMayEndAsOnWindows) {
  const std::string text = std::string(kLongHeader) + "\r\nrest";
  const auto header = find_ncu_header(text);
  ASSERT_TRUE(header);
  EXPECT_EQ(text.substr(header->rows_begin), "rest");
  EXPECT_EQ(header->columns.count, find_ncu_header(kLongHeader)->columns.count);
}

TEST(NcuHeaderTest, AHeaderAtTheVeryEndHasNoRows) {
  const auto header = find_ncu_header("ID;Kernel Name;dram__bytes.sum");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->rows_begin, 30U);
  EXPECT_EQ(header->delimiter, ';');
  EXPECT_FALSE(header->quoted);
}

}  // namespace
}  // namespace ridgeline
