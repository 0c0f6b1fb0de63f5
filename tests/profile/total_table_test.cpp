#include "profile/total_table.h"

#include <set>

#include <gtest/gtest.h>

#include "profile/name_table.h"

namespace ridgeline {
namespace {

TEST(TotalTableTest, OneDescriptionHasOnePlaceAndEveryPartOfItCounts) {
  TotalTable table;
  const OpTotal base{.name = 5, .shape = 6, .module = 7};
  std::set<std::uint32_t> places{table.place_of(base)};
  EXPECT_EQ(table.place_of(base), *places.begin());
  places.insert(table.place_of({.name = 8, .shape = 6, .module = 7}));
  places.insert(table.place_of({.name = 5, .shape = 8, .module = 7}));
  places.insert(table.place_of({.name = 5, .shape = 6, .module = 8}));
  places.insert(table.place_of({.name = 5, .shape = 6, .module = 7, .kind = FrameKind::Backward}));
  places.insert(table.place_of({.name = 5, .shape = 6, .module = 7, .phase = StepPhase::Forward}));
  EXPECT_EQ(places.size(), 6);
}

TEST(TotalTableTest, WhatFindsNoPlaceIsAddedToTheFirstEntry) {
  TotalTable table(3);
  EXPECT_EQ(table.place_of({.name = 10}), 1);
  EXPECT_EQ(table.place_of({.name = 11}), 2);
  EXPECT_EQ(table.place_of({.name = 12}), 0);
  EXPECT_EQ(table.place_of({.name = 11}), 2);
  EXPECT_EQ(table.at(0).name, NameTable::kOverflow);
}

TEST(TotalTableTest, AResetTableIsAsNew) {
  TotalTable table(3);
  table.at(table.place_of({.name = 10})).calls = 4;
  table.reset();
  EXPECT_EQ(table.place_of({.name = 11}), 1);
  EXPECT_EQ(table.at(1).calls, 0);
}

}  // namespace
}  // namespace ridgeline
