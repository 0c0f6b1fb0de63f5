#include <gtest/gtest.h>

#include "roofline/made_calls.h"

namespace ridgeline {
namespace {

using namespace ridgeline::testing;  // NOLINT

constexpr double kHeads = 2 * 8;
constexpr double kPairs = kHeads * 16 * 17 / 2;  // of a causal mask over 16 tokens
const OpInput kQuery = tensor({2, 8, 16, 4}, "BFloat16");
const OpInput kKey = tensor({2, 4, 16, 4}, "BFloat16");

TEST(OpCostAttentionTest, TheCausalMaskIsPassedOver) {
  const auto causal = work_of("aten::_scaled_dot_product_flash_attention_for_cpu",
                              {kQuery, kKey, kKey, none(), value(1)});
  EXPECT_EQ(flop_of(causal, ComputePath::TensorBf16), 2 * 2 * kPairs * 4);
  EXPECT_EQ(flop_of(causal, ComputePath::Fp32), 5 * kPairs);
  const auto full = work_of("aten::_scaled_dot_product_flash_attention_for_cpu",
                            {kQuery, kKey, kKey, none(), value(0)});
  EXPECT_EQ(flop_of(full, ComputePath::TensorBf16), 2 * 2 * kHeads * 16 * 16 * 4);
}

TEST(OpCostAttentionTest, GroupedKeysAreReadOnce) {
  const auto work = work_of("aten::_scaled_dot_product_flash_attention_for_cpu",
                            {kQuery, kKey, kKey, none(), value(1)});
  EXPECT_EQ(bytes_of(work), 2 * (2 * kHeads * 16 * 4 + kHeads * 16 * 4) + 4 * kHeads * 16);
}

TEST(OpCostAttentionTest, TheBackwardHasFiveProductsForTwo) {
  const OpInput sums = tensor({2, 8, 16});
  const auto work = work_of("aten::_scaled_dot_product_flash_attention_for_cpu_backward",
                            {kQuery, kQuery, kKey, kKey, kQuery, sums, none(), value(1)});
  EXPECT_EQ(flop_of(work, ComputePath::TensorBf16), 5 * 2 * kPairs * 4);
  // Gradient, queries, result and a gradient of the queries; keys, values and theirs; the sums.
  EXPECT_EQ(bytes_of(work), 2 * (4 * kHeads * 16 * 4 + 2 * kHeads * 16 * 4) + 4 * kHeads * 16);
}

TEST(OpCostAttentionTest, KernelsThatTakeTheContextFirstGiveTheSame) {
  const OpInput query = tensor({2, 16, 8, 4}, "BFloat16");
  const OpInput key = tensor({2, 16, 4, 4}, "BFloat16");
  const auto outer = work_of("aten::_scaled_dot_product_flash_attention",
                             {kQuery, kKey, kKey, none(), value(1), value(0)});
  const auto inner =
      work_of("aten::_flash_attention_forward",
              {query, key, key, none(), none(), value(16), value(16), none(), value(1), value(0)});
  EXPECT_EQ(flop_of(inner), flop_of(outer));
  EXPECT_EQ(bytes_of(inner), bytes_of(outer));
  EXPECT_EQ(role_of_op("aten::_flash_attention_forward"), OpRole::Works);
  EXPECT_EQ(role_of_op("aten::_scaled_dot_product_flash_attention"), OpRole::Delegates);
}

TEST(OpCostAttentionTest, CudnnComputesWholeTilesOfTheCausalMask) {
  const OpInput query = tensor({4, 12, 256, 64}, "BFloat16");
  std::vector<OpInput> inputs{query, query, query};
  while (inputs.size() < 10) inputs.push_back(none());
  inputs.push_back(value(1));
  // What the tensor cores of an H200 counted.
  EXPECT_EQ(flop_of(work_of("aten::_cudnn_attention_forward", inputs), ComputePath::TensorBf16),
            603979776);
}

TEST(OpCostAttentionTest, EfficientAttentionInFp32IsThreeProductsOfTf32) {
  const OpInput query = tensor({4, 256, 12, 64});
  std::vector<OpInput> inputs{query, query, query};
  while (inputs.size() < 9) inputs.push_back(none());
  inputs.push_back(value(1));
  const auto work = work_of("aten::_efficient_attention_forward", inputs);
  // What the tensor cores of an H200 counted.
  EXPECT_EQ(flop_of(work, ComputePath::TensorTf32), 1509949440);
}

}  // namespace
}  // namespace ridgeline
