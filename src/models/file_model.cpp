#include "models/file_model.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <c10/util/Exception.h>
#include <caffe2/serialize/inline_container.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "models/initialise.h"
#include "models/input_shape.h"

namespace ridgeline {
namespace {

at::ScalarType dtype_of(const InputShape& input) {
  static const std::vector<std::pair<std::string_view, at::ScalarType>> kTypes{
      {"float32", at::kFloat},     {"float64", at::kDouble}, {"float16", at::kHalf},
      {"bfloat16", at::kBFloat16}, {"int64", at::kLong},     {"int32", at::kInt},
      {"uint8", at::kByte},        {"bool", at::kBool}};
  for (const auto& [name, type] : kTypes) {
    if (name == input.dtype) return type;
  }
  throw bad_input(fmt::format("no such dtype: '{}'", input.dtype));
}

bool starts_like_an_archive(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Fault::Io, fmt::format("{}: cannot be opened", path));
  std::array<char, 2> start{};
  file.read(start.data(), start.size());
  return file && start[0] == 'P' && start[1] == 'K';
}

std::vector<std::string> records_of(const std::string& path) {
  try {
    caffe2::serialize::PyTorchStreamReader reader(path);
    return reader.getAllRecords();
  } catch (const c10::Error&) {
    throw bad_input(fmt::format("{}: the archive is damaged or truncated", path));
  }
}

}  // namespace

FileKind identify_model_file(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(Fault::Io, fmt::format("{}: no such file", path));
  }
  if (!starts_like_an_archive(path)) {
    throw bad_input(fmt::format("{}: not a TorchScript or AOTInductor file", path));
  }
  const std::vector<std::string> records = records_of(path);
  const auto holds = [&](std::string_view part) {
    return std::ranges::any_of(
        records, [&](const std::string& name) { return name.find(part) != std::string::npos; });
  };
  if (holds("data/aotinductor/")) return FileKind::AotInductor;
  if (holds("models/model.json") || holds("serialized_exported_program.json")) {
    throw bad_input(
        fmt::format("{}: a torch.export program, which has no code to run; compile it "
                    "with torch._inductor.aoti_compile_and_package",
                    path));
  }
  if (holds("constants.pkl")) return FileKind::TorchScript;
  if (holds("data.pkl")) {
    throw bad_input(fmt::format(
        "{}: holds weights but no code; save the model with torch.jit.script(model).save", path));
  }
  throw bad_input(fmt::format("{}: not a TorchScript or AOTInductor file", path));
}

std::string essence_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string_view text =
      torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  // TorchScript puts the cause last, after its traceback.
  constexpr std::string_view kCause = "RuntimeError: ";
  if (const std::size_t cause = text.rfind(kCause); cause != std::string_view::npos) {
    text.remove_prefix(cause + kCause.size());
  }
  return std::string(text.substr(0, text.find('\n')));
}

Tensors random_inputs(const FileSpec& spec, std::uint64_t seed) {
  Initialiser draw(seed);
  Tensors inputs;
  for (const InputShape& input : spec.inputs) {
    const at::ScalarType type = dtype_of(input);
    const std::vector<std::int64_t> sizes(input.sizes.begin(), input.sizes.end());
    inputs.push_back(at::isFloatingType(type) ? draw.normal(sizes, 1).requires_grad_(false).to(type)
                                              : draw.integers(sizes, 0, 2).to(type));
  }
  return inputs;
}

FileModel::~FileModel() = default;

FileModel::FileModel(const FileSpec& spec, std::uint64_t seed)
    : spec_(spec), inputs_(random_inputs(spec, seed)) {}

at::Tensor FileModel::forward(const at::Tensor& input) {
  inputs_[0] = input;
  try {
    return run(inputs_);
  } catch (const Error&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    const std::string cause = essence_of(error);
    if (cause.find("out of memory") != std::string::npos) throw Error(Fault::Memory, cause);
    std::vector<std::string> given;
    for (const InputShape& shape : spec_.inputs) given.push_back(to_text(shape));
    throw bad_input(
        fmt::format("{}: cannot run on {}: {}", spec_.path, fmt::join(given, " "), cause));
  }
}

at::Tensor FileModel::loss(const at::Tensor& /*input*/, const at::Tensor& /*target*/) { return {}; }

std::pair<at::Tensor, at::Tensor> FileModel::synthetic_batch(std::uint64_t seed) const {
  return {random_inputs(spec_, seed)[0], {}};
}

NamedTensors FileModel::constants() const {
  NamedTensors all;
  for (std::size_t i = 1; i < inputs_.size(); ++i) {
    all.emplace_back(fmt::format("input.{}", i), inputs_[i]);
  }
  return all;
}

at::Tensor FileModel::gradient_seed() const { return {}; }

}  // namespace ridgeline
