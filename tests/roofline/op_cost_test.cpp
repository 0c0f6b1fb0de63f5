#include "roofline/op_cost.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "roofline/made_calls.h"
#include "roofline/op_model.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT: the calls read as sentences

TEST(OpCostTest, RolesTellWhoDoesTheWork) {
  EXPECT_EQ(role_of_op("aten::mm"), OpRole::Works);
  EXPECT_EQ(role_of_op("aten::linear"), OpRole::Delegates);
  EXPECT_EQ(role_of_op("aten::view"), OpRole::Nothing);
  EXPECT_EQ(role_of_op("aten::to"), OpRole::Nothing);
  EXPECT_EQ(role_of_op("aten::empty"), OpRole::Nothing);
  EXPECT_EQ(role_of_op("mine::op"), OpRole::Unknown);
}

TEST(OpCostTest, AnOpInPlaceHasTheModelOfTheOther) {
  EXPECT_EQ(role_of_op("aten::add_"), OpRole::Works);
  EXPECT_EQ(role_of_op("aten::relu_"), OpRole::Delegates);
  EXPECT_EQ(role_of_op("aten::_foreach_add_"), OpRole::Delegates);
}

TEST(OpCostTest, NoOpHasTwoModelsOrAModelAndNone) {
  const auto names = modelled_ops();
  std::size_t models = 0;
  for (const auto family :
       {product_models(), convolution_models(), attention_models(), normalisation_models(),
        elementwise_models(), reduction_models(), movement_models(), optimizer_models()})
    models += family.size();
  EXPECT_EQ(names.size(), models);
  for (const auto name : names) EXPECT_NE(role_of_op(name), OpRole::Nothing) << name;
}

TEST(OpCostTest, WithoutInputsNoModelGuesses) {
  for (const auto name : modelled_ops()) EXPECT_FALSE(work_of(std::string(name), {})) << name;
}

TEST(OpCostTest, InputsThatNoOpTakesAreRefusedAndNotReadBeyond) {
  for (const auto name : modelled_ops()) {
    for (std::size_t count = 1; count < 16; ++count) {
      (void)work_of(std::string(name), std::vector<OpInput>(count, tensor({})));
      (void)work_of(std::string(name), std::vector<OpInput>(count, tensor({0, 0, 0, 0})));
      (void)work_of(std::string(name), std::vector<OpInput>(count, list({})));
      (void)work_of(std::string(name), std::vector<OpInput>(count, value(-1)));
      std::vector<OpInput> mixed(count, list({0, 0}));
      std::fill_n(mixed.begin(), std::min<std::size_t>(count, 2), tensor({2, 3, 4, 5}));
      (void)work_of(std::string(name), mixed);
    }
  }
}

TEST(OpCostTest, ProductsRunOnMatrixUnitsWhereTheirTypeDoes) {
  EXPECT_EQ(product_path("Float", {}), ComputePath::Fp32);
  EXPECT_EQ(product_path("Float", {.tf32 = true}), ComputePath::TensorTf32);
  EXPECT_EQ(product_path("BFloat16", {}), ComputePath::TensorBf16);
  EXPECT_EQ(product_path("Half", {}), ComputePath::TensorFp16);
  EXPECT_EQ(product_path("Double", {.tf32 = true}), ComputePath::Fp64);
  // Everything else computes in fp32 and stores short.
  EXPECT_EQ(vector_path("BFloat16"), ComputePath::Fp32);
}

TEST(OpCostTest, BroadcastingFollowsTheDimensionsFromTheLast) {
  const OpInput a = tensor({2, 1, 4});
  const OpInput b = tensor({3, 1});
  EXPECT_EQ(broadcast_elements({&a, &b}), 2 * 3 * 4);
  const OpInput c = tensor({5});
  EXPECT_EQ(broadcast_elements({&a, &c}), std::nullopt);
}

}  // namespace
}  // namespace ridgeline
