// model_dump FOLDER: runs the model that FOLDER/case.json describes with the weights and the batch
// that lie there as raw numbers, and writes its logits and every gradient beside them.

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <exception>
#include <fstream>
#include <iostream>

#include "models/case.h"
#include "models/input_shape.h"
#include "models/make.h"

namespace {

using namespace ridgeline;

at::Tensor read(const std::string& path, at::IntArrayRef sizes, at::ScalarType type) {
  at::Tensor tensor = at::empty(sizes, type);
  std::ifstream file(path, std::ios::binary);
  file.read(static_cast<char*>(tensor.data_ptr()), static_cast<std::streamsize>(tensor.nbytes()));
  if (!file) throw std::runtime_error("cannot read " + path);
  return tensor;
}

void write(const std::string& path, const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().contiguous();
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(flat.data_ptr()),
             static_cast<std::streamsize>(flat.nbytes()));
  if (!file) throw std::runtime_error("cannot write " + path);
}

void dump_file_model(const nlohmann::json& description, const std::string& folder) {
  FileSpec spec{.label = "file", .path = description["path"], .inputs = {}};
  for (const std::string text : description["inputs"])
    spec.inputs.push_back(parse_input_shape(text));
  const auto model = make_model(spec, {.ops = plain_ops()}, 1);
  const at::NoGradGuard no_grad;
  model->set_training(false);
  const auto [input, target] = model->synthetic_batch(2);
  write(folder + "input", input);
  write(folder + "logits", model->forward(input));
}

void dump_model(const nlohmann::json& description, const std::string& folder) {
  const bool checkpointing = description.value("checkpointing", false);
  const auto model = make_model(spec_of(description),
                                {.ops = plain_ops(), .activation_checkpointing = checkpointing}, 1);
  for (const auto& [name, parameter] : model->parameters()) {
    parameter.set_data(read(folder + name, parameter.sizes(), at::kFloat));
  }
  auto [input, target] = model->synthetic_batch(1);
  input = read(folder + "input", input.sizes(), input.scalar_type());
  target = read(folder + "target", target.sizes(), at::kLong);
  model->loss(input, target).backward();
  for (const auto& [name, buffer] : model->buffers()) write(folder + name, buffer);
  for (const auto& [name, parameter] : model->parameters()) {
    write(folder + "grad." + name, parameter.grad());
  }
  write(folder + "logits", model->forward(input));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: model_dump FOLDER\n", 2;
  const std::string folder = std::string(argv[1]) + "/";
  try {
    std::ifstream stream(folder + "case.json");
    const auto description = nlohmann::json::parse(stream);
    description["family"] == "file" ? dump_file_model(description, folder)
                                    : dump_model(description, folder);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
