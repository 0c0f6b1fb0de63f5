#include <gtest/gtest.h>

#include "engine/ops.h"
#include "models/make.h"
#include "models/update_cost.h"

namespace ridgeline {
namespace {

// The engine sees models and no specifications: it tells the families apart by whether tokens are
// looked up. What costs predict and what training sets must be what it does.
TEST(UsualOptimizerTest, AModelAndItsSpecificationSayTheSame) {
  const std::vector<ModelSpec> specs{
      TransformerSpec{.label = "t",
                      .vocab_size = 11,
                      .d_model = 8,
                      .d_ff = 16,
                      .num_layers = 1,
                      .num_heads = 2,
                      .num_kv_heads = 1,
                      .context_length = 4,
                      .batch_size = 1},
      ResNetSpec{.label = "r", .num_classes = 3, .image_size = 32, .batch_size = 1}};
  for (const ModelSpec& spec : specs) {
    const auto model = make_model(spec, {.ops = plain_ops()}, 1);
    EXPECT_EQ(model->ends().inputs.empty(), usual_optimizer(spec) == OptimizerKind::Sgd);
  }
}

}  // namespace
}  // namespace ridgeline
