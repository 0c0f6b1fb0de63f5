#include "profile/sequence_table.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(SequenceTableTest, TheLastOpThatSawANumberIsTheOneThatMadeTheNode) {
  SequenceTable table;
  table.remember(1, 42, 7);
  table.remember(1, 42, 8);
  EXPECT_EQ(table.find(1, 42), NameId{8});
}

TEST(SequenceTableTest, ThreadsNumbersAreTheirOwn) {
  SequenceTable table;
  table.remember(1, 42, 7);
  table.remember(2, 42, 9);
  EXPECT_EQ(table.find(1, 42), NameId{7});
  EXPECT_EQ(table.find(2, 42), NameId{9});
  EXPECT_EQ(table.find(3, 42), std::nullopt);
}

TEST(SequenceTableTest, WhatWasOverwrittenIsNotFoundRatherThanFoundWrong) {
  SequenceTable table(16);
  table.remember(1, 0, 5);
  table.remember(1, 16, 6);
  EXPECT_EQ(table.find(1, 0), std::nullopt);
  EXPECT_EQ(table.find(1, 16), NameId{6});
}

TEST(SequenceTableTest, AnEmptyTableKnowsNoNumberNotEvenZero) {
  const SequenceTable table(16);
  EXPECT_EQ(table.find(0, 0), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
