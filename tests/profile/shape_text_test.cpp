#include "profile/shape_text.h"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "profile/shape_arguments.h"

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
  EXPECT_FALSE(arguments_of(shape).contains("Concrete Inputs")) << "none were recorded";
  EXPECT_EQ(arguments_of(shape).at("Input type"), json({"float", "Scalar", "long int"}));
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
  EXPECT_EQ(arguments_of(shape).at("Input type"), json({"TensorList", "float"}));
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

TEST(ShapeTextTest, ValuesAreAThirdLineWhereTheyAreAskedFor) {
  ShapeText text(ValueDetail::Values);
  text.tensor(std::array<std::int64_t, 2>{8, 3}, "Float", 96);
  text.values("", std::array<std::int64_t, 2>{2, 1});
  text.value("Scalar", -4);
  text.other("");
  text.open_list();
  text.tensor(std::array<std::int64_t, 2>{5, 2}, "Float", 40);
  text.tensor(std::array<std::int64_t, 1>{6}, "BFloat16", 12);
  text.close_list();
  const std::string shape(text.finish());
  EXPECT_EQ(shape,
            "[[8,3],[],[],[],[[5,2],[6]]]\n[\"Float\",\"\",\"Scalar\",\"\",\"TensorList\"]\n"
            "[null,[2,1],-4,null,[16,52]]");
  const json arguments = arguments_of(shape);
  EXPECT_EQ(arguments.at("Input type").size(), 5);
  EXPECT_EQ(arguments.at("Concrete Inputs"), json({"", "[2, 1]", "-4", "", ""}));
}

TEST(ShapeTextTest, ListsAreAddedUpWhenTheirDimensionsFindNoRoom) {
  ShapeText text(ValueDetail::Values);
  for (int list = 0; list < 6; ++list) {
    text.open_list();
    for (int i = 0; i < 62; ++i)
      text.tensor(std::array<std::int64_t, 4>{512, 512, 3, 3}, "Float", 512 * 512 * 9 * 4);
    text.close_list();
  }
  text.tensor(std::array<std::int64_t, 1>{7}, "Float", 28);
  const std::string shape(text.finish());
  const std::string values = shape.substr(shape.rfind('\n') + 1);
  const auto parsed = json::parse(values);
  ASSERT_EQ(parsed.size(), 7);
  for (int list = 0; list < 6; ++list) EXPECT_EQ(parsed[list][0], 62LL * 512 * 512 * 9);
  // A tensor whose dimensions were left out must not pass for one of a single number.
  EXPECT_EQ(arguments_of(shape).at("Input type").back(), "");
}

TEST(ShapeTextTest, NoShapeGivesNoArguments) { EXPECT_EQ(trace_arguments(""), ""); }

}  // namespace
}  // namespace ridgeline
