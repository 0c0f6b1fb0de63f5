#include "models/input_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace ridgeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(InputShapeTest, ReadsSizesAndDtype) {
  const InputShape input = parse_input_shape("8x3x224x224:bfloat16");
  EXPECT_THAT(input.sizes, ElementsAre(8, 3, 224, 224));
  EXPECT_EQ(input.dtype, "bfloat16");
}

TEST(InputShapeTest, DtypeIsFloat32UnlessSaid) {
  EXPECT_EQ(parse_input_shape("5").dtype, "float32");
}

TEST(InputShapeTest, WritesWhatItReads) {
  for (const auto* text : {"1:int64", "4x128:int32", "8x3x2x2:float32"}) {
    EXPECT_EQ(to_text(parse_input_shape(text)), text);
  }
}

class BadShapeTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(BadShapeTest, IsRefusedWithItsReason) {
  const auto [text, reason] = GetParam();
  try {
    (void)parse_input_shape(text);
    FAIL() << text << " was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::BadInput);
    EXPECT_THAT(error.what(), HasSubstr(reason));
    EXPECT_THAT(error.what(), HasSubstr(text));
  }
}
INSTANTIATE_TEST_SUITE_P(
    Texts, BadShapeTest,
    testing::Values(std::pair{"", "'' is not a size"}, std::pair{":float32", "'' is not a size"},
                    std::pair{"8x", "'' is not a size"}, std::pair{"x8", "'' is not a size"},
                    std::pair{"8xx3", "'' is not a size"}, std::pair{"8x-3", "-3 is not positive"},
                    std::pair{"0x3", "0 is not positive"},
                    std::pair{"8x3.5", "'3.5' is not a size"},
                    std::pair{"8X3", "'8X3' is not a size"}, std::pair{" 8x3", "is not a size"},
                    std::pair{"8x3:float", "'float' is not one of"},
                    std::pair{"8x3:", "is not one of"}, std::pair{"8:int64:int64", "is not one of"},
                    std::pair{"99999999999999999999", "is too large"},
                    std::pair{"4294967296x4294967296", "the tensor is too large"}));

}  // namespace
}  // namespace ridgeline
