#include "data/value.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ValueTest, EntriesAreFoundByNameAndByNumber) {
  const Value value{Dict{{std::string("epoch"), Value{std::int64_t{3}}},
                         {std::int64_t{0}, Value{std::string("first")}}}};
  ASSERT_NE(find(value, "epoch"), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(find(value, "epoch")->held), 3);
  ASSERT_NE(find(value, std::int64_t{0}), nullptr);
  EXPECT_EQ(std::get<std::string>(find(value, std::int64_t{0})->held), "first");
}

TEST(ValueTest, WhatIsNotThereIsNull) {
  EXPECT_EQ(find(Value{Dict{}}, "epoch"), nullptr);
  EXPECT_EQ(find(Value{1.5}, "epoch"), nullptr);
}

TEST(ValueTest, AScalarArrayHasOneElement) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({.dtype = DType::F32, .shape = {2, 3}, .bytes = {}, .owner = {}}), 6);
}

}  // namespace
}  // namespace ridgeline
