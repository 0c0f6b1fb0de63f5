#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "models/file_model.h"

namespace ridgeline {
namespace {

// The first tensor of a result; models return one alone or several in a tuple, list or dict.
at::Tensor first_tensor(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor();
  if (value.isTuple()) {
    for (const c10::IValue& part : value.toTupleRef().elements()) {
      if (const at::Tensor found = first_tensor(part); found.defined()) return found;
    }
  } else if (value.isList()) {
    for (const c10::IValue& part : value.toListRef()) {
      if (const at::Tensor found = first_tensor(part); found.defined()) return found;
    }
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      if (const at::Tensor found = first_tensor(entry.value()); found.defined()) return found;
    }
  }
  return {};
}

bool takes_a_tensor(const c10::Argument& argument) {
  return c10::TensorType::get()->isSubtypeOf(*argument.type());
}

// Refuses a forward that the inputs cannot fit before anything is run.
void check_signature(const FileSpec& spec, const torch::jit::Module& module) {
  const auto forward = module.find_method("forward");
  if (!forward) throw bad_input(fmt::format("{}: its module has no forward method", spec.path));
  const auto& arguments = forward->function().getSchema().arguments();
  std::vector<std::string> wanted;
  std::size_t least = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const bool optional = arguments[i].default_value().has_value();
    if (!optional && !takes_a_tensor(arguments[i])) {
      throw bad_input(fmt::format("{}: forward's argument '{}' is a {}; only tensors can be fed",
                                  spec.path, arguments[i].name(),
                                  arguments[i].type()->annotation_str()));
    }
    if (!optional) ++least;
    wanted.push_back(arguments[i].name());
  }
  const std::size_t given = spec.inputs.size();
  if (given < least || given > wanted.size()) {
    throw bad_input(fmt::format("{}: forward takes {} input(s) ({}), {} given", spec.path,
                                wanted.size(), fmt::join(wanted, ", "), given));
  }
}

class ScriptFile final : public FileModel {
 public:
  ScriptFile(const FileSpec& spec, torch::jit::Module module, std::uint64_t seed)
      : FileModel(spec, seed), path_(spec.path), module_(std::move(module)) {}

  NamedTensors parameters() const override {
    NamedTensors all;
    for (const auto& parameter : module_.named_parameters()) {
      all.emplace_back(parameter.name, parameter.value);
    }
    return all;
  }
  NamedTensors buffers() const override {
    NamedTensors all;
    for (const auto& buffer : module_.named_buffers()) all.emplace_back(buffer.name, buffer.value);
    return all;
  }
  void set_training(bool training) override { module_.train(training); }

 private:
  at::Tensor run(const Tensors& inputs) override {
    const at::Tensor output = first_tensor(module_.forward({inputs.begin(), inputs.end()}));
    if (!output.defined()) throw bad_input(fmt::format("{}: forward returns no tensor", path_));
    return output;
  }

  std::string path_;
  torch::jit::Module module_;
};

}  // namespace

std::unique_ptr<Model> load_script_file(const FileSpec& spec, std::uint64_t seed) {
  try {
    torch::jit::Module module = torch::jit::load(spec.path, at::Device(at::kCPU));
    check_signature(spec, module);
    return std::make_unique<ScriptFile>(spec, std::move(module), seed);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw bad_input(
        fmt::format("{}: not a readable TorchScript file: {}", spec.path, essence_of(error)));
  }
}

}  // namespace ridgeline
