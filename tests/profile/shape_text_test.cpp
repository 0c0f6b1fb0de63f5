#include "profile/shape_text.h"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ridgeline {
namespace {

using nlohmann::json;

json arguments_of(std::string_view shape) {
  return json::parse("{\"first\": 0" + trace_arguments(shape) + "}");
}

TEST(ShapeTextTest, InputsAreListsOfDimensionsAndTypes) {
  ShapeText text;
  text.tensor(std::array<std::int64_t, 2>{8, 3}, "Float");
  text.other("Scalar");
  text.tensor({}, "Long");
  const std::string shape(text.finish());
  EXPECT_EQ(dimensions_of(shape), "[[8,3],[],[]]");
  EXPECT_EQ(arguments_of(shape).at("Input type"), json({"Float", "Scalar", "Long"}));
}

TEST(ShapeTextTest, AListOfTensorsIsAListInTheList) {
  ShapeText text;
  text.open_list();
  text.tensor(std::array<std::int64_t, 1>{5}, "Float");
  text.tensor(std::array<std::int64_t, 1>{6}, "Float");
  text.close_list();
  text.tensor(std::array<std::int64_t, 1>{7}, "Float");
  const std::string shape(text.finish());
  EXPECT_EQ(dimensions_of(shape), "[[[5],[6]],[7]]");
  EXPECT_EQ(arguments_of(shape).at("Input type"), json({"TensorList", "Float"}));
}

TEST(ShapeTextTest, HoweverManyInputsThereAreTheTextStaysBoundedAndValid) {
  for (const bool listed : {false, true}) {
    ShapeText text;
    if (listed) text.open_list();
    for (int i = 0; i < 5000; ++i)
      text.tensor(std::array<std::int64_t, 4>{-9'000'000'000'000'000'000, i, i, i}, "BFloat16");
    if (listed) text.close_list();
    text.open_list();
    text.other("a type whose name is much longer than any type's name could ever be");
    const std::string shape(text.finish());
    EXPECT_LT(shape.size(), 4096);
    EXPECT_NO_THROW((void)arguments_of(shape));
  }
}

TEST(ShapeTextTest, NoShapeGivesNoArguments) { EXPECT_EQ(trace_arguments(""), ""); }

}  // namespace
}  // namespace ridgeline
