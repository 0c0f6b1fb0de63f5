#include "profile/name_table.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(NameTableTest, OneNameHasOneNumberAndNoNameHasNone) {
  NameTable table;
  const NameId first = table.number("aten::mm");
  std::string same = "aten::";
  same += "mm";
  EXPECT_EQ(table.number(same), first);
  EXPECT_NE(table.number("aten::add"), first);
  EXPECT_EQ(table.number(""), NameTable::kNone);
  EXPECT_EQ(table.names().at(first), "aten::mm");
}

TEST(NameTableTest, NamesWithoutAPlaceShareOneAndAreCounted) {
  NameTable table(4);  // two are taken from the start
  const NameId kept = table.number("a");
  EXPECT_NE(table.number("b"), kept);
  EXPECT_EQ(table.number("c"), NameTable::kOverflow);
  EXPECT_EQ(table.number("d"), NameTable::kOverflow);
  EXPECT_EQ(table.number("a"), kept);
  EXPECT_EQ(table.overflowed(), 2);
}

TEST(NameTableTest, AHintChangesNoAnswer) {
  NameTable table(5);
  NameTable::Hint hint;
  std::string text = "aten::mm";
  const NameId mm = table.number("aten::mm");
  EXPECT_EQ(table.number(text, hint), mm);
  EXPECT_EQ(table.number(text, hint), mm);
  text = "aten::mv";  // in the same place
  const NameId mv = table.number(text, hint);
  EXPECT_NE(mv, mm);
  EXPECT_EQ(table.number("aten::mv"), mv);
  EXPECT_EQ(table.number("aten::mm", hint), mm);
  EXPECT_EQ(table.number("", hint), NameTable::kNone);
  (void)table.number("last place");
  EXPECT_EQ(table.number("none left", hint), NameTable::kOverflow);
  EXPECT_EQ(table.number("none left", hint), NameTable::kOverflow);
  EXPECT_EQ(table.overflowed(), 2);
}

TEST(NameTableTest, ThreadsThatMeetOnNewNamesAgreeOnTheirNumbers) {
  NameTable table;
  constexpr int kNames = 2000;
  std::array<std::vector<NameId>, 4> seen;
  std::vector<std::jthread> threads;
  for (auto& numbers : seen) {
    threads.emplace_back([&] {
      for (int i = 0; i < kNames; ++i) numbers.push_back(table.number("op" + std::to_string(i)));
    });
  }
  threads.clear();
  for (const auto& numbers : seen) EXPECT_EQ(numbers, seen[0]);
  EXPECT_EQ(table.names().size(), kNames + 2);
}

}  // namespace
}  // namespace ridgeline
