#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.h"
#include "models/file_model.h"

namespace ridgeline {
namespace {

std::filesystem::path folder_of(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

bool load_globally(const std::filesystem::path& library) {
  return dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr;
}

// A package's code names libtorch.so, an empty library that pulls in the CUDA ones. An install
// without those cannot load it, so ours, of the same name and truly empty, stands in.
void provide_libtorch() {
  if (dlopen("libtorch.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr) return;
  const void* in_torch = dlsym(RTLD_DEFAULT, "aoti_torch_device_type_cpu");
  if (in_torch != nullptr && load_globally(folder_of(in_torch) / "libtorch.so")) return;
  const auto ours = folder_of(reinterpret_cast<const void*>(&load_aoti_file)) / "compat";
  if (!load_globally(ours / "libtorch.so")) {
    throw Error(Fault::Io,
                fmt::format("cannot load libtorch.so, which compiled models need: {}", dlerror()));
  }
}

class AotiFile final : public FileModel {
 public:
  AotiFile(const FileSpec& spec, std::uint64_t seed)
      : FileModel(spec, seed), path_(spec.path), loader_(spec.path) {}

  // The weights lie in the package's code, out of reach.
  NamedTensors parameters() const override { return {}; }
  NamedTensors buffers() const override { return {}; }
  void set_training(bool /*training*/) override {}

 private:
  at::Tensor run(const Tensors& inputs) override {
    const Tensors outputs = run_package(inputs);
    if (outputs.empty()) throw bad_input(fmt::format("{}: returns no tensor", path_));
    return outputs[0];
  }

  // The package's code prints what it refuses and tells its caller only that it did.
  Tensors run_package(const Tensors& inputs) {
    try {
      return loader_.run(inputs);
    } catch (const std::exception& error) {
      if (essence_of(error).find("API call failed") == std::string::npos) throw;
      throw std::runtime_error("its compiled code refused them and printed why");
    }
  }

  std::string path_;
  torch::inductor::AOTIModelPackageLoader loader_;
};

}  // namespace

std::unique_ptr<Model> load_aoti_file(const FileSpec& spec, std::uint64_t seed) {
  provide_libtorch();
  // Without its checks the compiled code reads inputs of the wrong shape out of bounds.
  setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", /*replace=*/0);
  try {
    return std::make_unique<AotiFile>(spec, seed);
  } catch (const std::exception& error) {
    throw bad_input(
        fmt::format("{}: not a loadable AOTInductor package: {}", spec.path, essence_of(error)));
  }
}

}  // namespace ridgeline
