#include <ATen/ATen.h>

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/case.h"
#include "models/make.h"
#include "models/model_check.h"

namespace ridgeline {
namespace {

using nlohmann::json;

// What PyTorch computed for the same weights and batch; tools/make_golden.py writes the files.
constexpr double kTolerance = 2e-5;
constexpr long kSamples = 4;
constexpr std::int64_t kPrime = 65521;

// The formula of tools/make_golden.py: exact integers until the last step.
at::Tensor formula(at::IntArrayRef sizes, std::int64_t index, double scale) {
  const at::Tensor k = at::arange(c10::multiply_integers(sizes), at::kLong);
  const at::Tensor residue = (k * k * 31 + k * 17 + 101 * index).remainder(kPrime);
  return ((residue.to(at::kDouble) * 2.0 / double{kPrime} - 1.0) * scale)
      .to(at::kFloat)
      .reshape(sizes);
}

at::Tensor weight(const std::string& name, const at::Tensor& parameter, std::int64_t index) {
  if (parameter.dim() > 1) {
    const auto fan_in = static_cast<double>(parameter[0].numel());
    return formula(parameter.sizes(), index, std::sqrt(6.0 / fan_in));
  }
  const double offset = name.ends_with("bias") ? 0.0 : 1.0;
  return formula(parameter.sizes(), index, 0.1) + offset;
}

std::pair<at::Tensor, at::Tensor> batch_of(const json& golden) {
  const std::int64_t rows = golden["batch_size"];
  if (golden.contains("vocab_size")) {
    const std::int64_t context = golden["context_length"];
    const std::int64_t vocab = golden["vocab_size"];
    const at::Tensor tokens =
        (at::arange(rows * (context + 1), at::kLong) * 7 + 3).remainder(vocab).reshape({rows, -1});
    return {tokens.narrow(1, 0, context), tokens.narrow(1, 1, context)};
  }
  const std::int64_t size = golden["image_size"];
  const std::int64_t classes = golden["num_classes"];
  return {formula({rows, 3, size, size}, 1000, 1.0),
          (at::arange(rows, at::kLong) * 3 + 1).remainder(classes)};
}

double distance(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).norm() / expected.norm()).item<double>();
}

class GoldenTest : public testing::TestWithParam<const char*> {};

TEST_P(GoldenTest, LogitsAndGradientsArePyTorchs) {
  std::ifstream stream(std::string("tests/golden/models/") + GetParam() + ".json");
  ASSERT_TRUE(stream) << "run from the repository's root";
  const json golden = json::parse(stream);
  const auto model = make_model(spec_of(golden["case"]), {.ops = plain_ops()}, 1);
  std::int64_t index = 0;
  for (const auto& [name, parameter] : model->parameters()) {
    parameter.set_data(weight(name, parameter, index++));
  }
  const auto [input, target] = batch_of(golden["case"]);
  const std::vector<float> logits = golden["logits"];
  EXPECT_LT(distance(model->forward(input).flatten(), at::tensor(logits)), kTolerance);

  const at::Tensor loss = model->loss(input, target);
  EXPECT_NEAR(loss.item<double>(), golden["loss"].get<double>(),
              kTolerance * golden["loss"].get<double>());
  loss.backward();
  ASSERT_EQ(model->parameters().size(), golden["gradients"].size());
  for (const auto& [name, parameter] : model->parameters()) {
    const json& expected = golden["gradients"].at(name);
    const at::Tensor grad = parameter.grad().flatten();
    const double norm = expected["norm"];
    EXPECT_NEAR(grad.to(at::kDouble).norm().item<double>(), norm, kTolerance * norm) << name;
    for (long i = 0; i < kSamples; ++i) {
      const double value = grad[i * (grad.numel() - 1) / (kSamples - 1)].item<double>();
      EXPECT_NEAR(value, expected["samples"][static_cast<std::size_t>(i)].get<double>(),
                  kTolerance * norm)
          << name;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Models, GoldenTest,
                         testing::Values("cs336", "llama", "resnet18", "resnet20"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace ridgeline
