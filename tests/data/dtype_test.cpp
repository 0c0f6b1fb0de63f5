#include "data/dtype.h"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(DTypeTest, EveryNameIsReadBack) {
  for (int i = 0; i <= static_cast<int>(DType::F4); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
}

TEST(DTypeTest, UnknownNamesAreAbsent) {
  EXPECT_FALSE(parse_dtype("f32"));
  EXPECT_FALSE(parse_dtype(""));
}

TEST(DTypeTest, SizesAreThoseOfTheFormats) {
  EXPECT_EQ(size_of(DType::BF16), 2U);
  EXPECT_EQ(size_of(DType::F64), 8U);
  EXPECT_EQ(size_of(DType::F8E4M3), 1U);
  EXPECT_EQ(size_of(DType::C64), 8U);
  EXPECT_EQ(bits_of(DType::F6E2M3), 6U);
  EXPECT_EQ(bits_of(DType::F4), 4U);
}

}  // namespace
}  // namespace ridgeline
