#include "data/array_view.h"

#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::vector<std::int32_t> numbers_of(const Array& array) {
  std::vector<std::int32_t> numbers(array.bytes.size() / 4);
  if (!numbers.empty()) std::memcpy(numbers.data(), array.bytes.data(), array.bytes.size());
  return numbers;
}

std::vector<std::int32_t> counting(std::size_t size) {
  std::vector<std::int32_t> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(ArrayViewTest, BytesAreTheProductOfShapeAndType) {
  EXPECT_EQ(byte_count(DType::F32, {}), 4U);
  EXPECT_EQ(byte_count(DType::BF16, std::array<std::int64_t, 2>{3, 5}), 30U);
  EXPECT_EQ(byte_count(DType::F64, std::array<std::int64_t, 2>{0, 5}), 0U);
}

TEST(ArrayViewTest, NegativeSizesAndOverflowHaveNoByteCount) {
  EXPECT_FALSE(byte_count(DType::F32, std::array<std::int64_t, 1>{-1}));
  EXPECT_FALSE(byte_count(DType::F32, std::array<std::int64_t, 1>{kHuge}));
  EXPECT_FALSE(byte_count(DType::U8, std::array<std::int64_t, 2>{kHuge, 2}));
  EXPECT_FALSE(byte_count(DType::U8, std::array<std::int64_t, 3>{kHuge, 2, 0}));
}

TEST(ArrayViewTest, AlignedBytesAreUsedInPlaceAndOthersCopied) {
  alignas(8) const std::array<std::byte, 16> bytes{};
  const auto owner = std::make_shared<int>(1);
  const auto all = std::span(bytes);
  EXPECT_EQ(view_or_copy(DType::F32, {2}, all.first(8), owner).bytes.data(), bytes.data());
  const Array copied = view_or_copy(DType::F32, {2}, all.subspan(1, 8), owner);
  EXPECT_NE(copied.bytes.data(), bytes.data() + 1);
  EXPECT_NE(copied.owner, std::shared_ptr<const void>(owner));
}

TEST(ArrayViewTest, TheEndOfALayoutIsOnePastItsLastElement) {
  EXPECT_EQ(end_of({.shape = {2, 3}, .strides = {3, 1}, .offset = 4}), 10);
  EXPECT_EQ(end_of({.shape = {}, .strides = {}, .offset = 4}), 5);
  EXPECT_EQ(end_of({.shape = {5}, .strides = {0}, .offset = 0}), 1);
  EXPECT_EQ(end_of({.shape = {0, 9}, .strides = {9, 1}, .offset = 4}), 0);
}

TEST(ArrayViewTest, ALayoutThatOverflowsHasNoEnd) {
  EXPECT_FALSE(end_of({.shape = {3}, .strides = {kHuge}, .offset = 0}));
  EXPECT_FALSE(end_of({.shape = {2}, .strides = {kHuge}, .offset = 1}));
  EXPECT_FALSE(end_of({.shape = {1}, .strides = {1}, .offset = kHuge}));
  EXPECT_FALSE(end_of({.shape = {2}, .strides = {-1}, .offset = 5}));
  EXPECT_FALSE(end_of({.shape = {2}, .strides = {}, .offset = 0}));
}

TEST(ArrayViewTest, StridesOfSingleElementsDoNotMatter) {
  EXPECT_TRUE(is_row_major({.shape = {1, 3}, .strides = {kHuge, 1}, .offset = 0}));
  EXPECT_FALSE(is_row_major({.shape = {3, 2}, .strides = {1, 3}, .offset = 0}));
}

TEST(ArrayViewTest, ATransposedTensorIsGatheredRowByRow) {
  const auto storage = counting(7);
  const Array array = gather(DType::I32, {.shape = {3, 2}, .strides = {1, 3}, .offset = 1},
                             std::as_bytes(std::span(storage)));
  EXPECT_EQ(numbers_of(array), (std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(ArrayViewTest, AChannelsLastTensorIsGatheredPlaneByPlane) {
  const auto storage = counting(12);  // 1 x 2 x 2 x 3 in memory, 1 x 3 x 2 x 2 as a tensor
  const Array array =
      gather(DType::I32, {.shape = {1, 3, 2, 2}, .strides = {kHuge, 1, 6, 3}, .offset = 0},
             std::as_bytes(std::span(storage)));
  EXPECT_EQ(numbers_of(array), (std::vector<std::int32_t>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
}

TEST(ArrayViewTest, AnExpandedTensorRepeats) {
  const auto storage = counting(2);
  const Array array = gather(DType::I32, {.shape = {2, 2}, .strides = {1, 0}, .offset = 0},
                             std::as_bytes(std::span(storage)));
  EXPECT_EQ(numbers_of(array), (std::vector<std::int32_t>{0, 0, 1, 1}));
}

TEST(ByteCountTest, TypesBelowAByteArePacked) {
  const auto count = [](DType dtype, std::vector<std::int64_t> shape) {
    return byte_count(dtype, shape);
  };
  EXPECT_EQ(count(DType::F4, {3, 4}), 6U);
  EXPECT_EQ(count(DType::F6E2M3, {4}), 3U);
  EXPECT_EQ(count(DType::F4, {3}), std::nullopt);
  EXPECT_EQ(count(DType::F4, {0, 3}), 0U);
  EXPECT_EQ(count(DType::C64, {2}), 16U);
  EXPECT_EQ(count(DType::F6E3M2, {std::int64_t{1} << 62}), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
