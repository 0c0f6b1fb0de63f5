#include "models/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(CatalogTest, EveryListedNameIsFound) {
  for (const auto name : model_names()) EXPECT_TRUE(find_model(name).has_value()) << name;
  for (const auto name : size_names()) {
    ASSERT_TRUE(find_size(name).has_value()) << name;
    EXPECT_EQ(find_size(name)->label, name);
  }
}

TEST(CatalogTest, UnknownNamesAreAbsent) {
  EXPECT_FALSE(find_model("resnet19").has_value());
  EXPECT_FALSE(find_model("").has_value());
  EXPECT_FALSE(find_size("Small").has_value());
}

TEST(CatalogTest, EveryListedModelIsValid) {
  for (const auto name : model_names()) EXPECT_NO_THROW(validate(*find_model(name))) << name;
  for (const auto name : size_names()) EXPECT_NO_THROW(validate(*find_size(name))) << name;
}

TEST(CatalogTest, TransformerIsTheSmallSize) {
  EXPECT_EQ(std::get<TransformerSpec>(*find_model("transformer")).label, "small");
}

struct Count {
  std::string_view name;
  std::int64_t parameters;
};

class SizeCountTest : public testing::TestWithParam<Count> {};
TEST_P(SizeCountTest, HasTheBenchmarksParameterCount) {
  EXPECT_EQ(parameter_count(*find_size(GetParam().name)), GetParam().parameters);
}
INSTANTIATE_TEST_SUITE_P(Sizes, SizeCountTest,
                         testing::Values(Count{"small", 128'625'408}, Count{"medium", 423'183'360},
                                         Count{"large", 969'411'840}, Count{"xl", 1'998'235'200},
                                         Count{"2.7B", 3'406'809'600}));

class ModelCountTest : public testing::TestWithParam<Count> {};
TEST_P(ModelCountTest, HasTheOriginalsParameterCount) {
  EXPECT_EQ(parameter_count(*find_model(GetParam().name)), GetParam().parameters);
}
INSTANTIATE_TEST_SUITE_P(Models, ModelCountTest,
                         testing::Values(Count{"tiny-llama", 31'977'984},
                                         Count{"resnet18", 11'689'512},
                                         Count{"resnet34", 21'797'672},
                                         Count{"resnet50", 25'557'032}, Count{"resnet20", 269'722},
                                         Count{"resnet32", 464'154}, Count{"resnet44", 658'586},
                                         Count{"resnet56", 853'018}));

TEST(CatalogTest, NothingIsKnownAboutAFile) {
  const FileSpec file{.label = "m", .path = "m.pt", .inputs = {{.sizes = {1}, .dtype = "float32"}}};
  EXPECT_FALSE(parameter_count(file).has_value());
  EXPECT_FALSE(step_cost(file, {}).has_value());
  EXPECT_FALSE(memory_need(file, {}).has_value());
  EXPECT_FALSE(model_flop(file, {}).has_value());
}

}  // namespace
}  // namespace ridgeline
