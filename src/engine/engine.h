#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/library.h"
#include "engine/backend.h"

namespace ridgeline {

// What the torch-free program sees of LibTorch: the libraries, loaded in the one order that works
// (libtorch_cpu, then the CUDA plugin, then ours; a torch call before the plugin is there would
// make torch believe for good that there is no CUDA).
class Engine {
 public:
  // With `want_cuda` the plugin is tried; when that fails cuda_obstacle() says why and the CPU
  // works.
  [[nodiscard]] static Engine load(bool want_cuda);

  [[nodiscard]] const std::filesystem::path& libtorch() const { return libtorch_; }
  [[nodiscard]] const std::string& torch_version() const { return torch_version_; }
  [[nodiscard]] const std::optional<std::string>& cuda_obstacle() const { return cuda_obstacle_; }
  // Throws Error(Device) with the obstacle when there is no such device.
  [[nodiscard]] Backend& backend(const Device& device) const;
  // An entry point of the engine library, by name.
  template <class Function>
  [[nodiscard]] Function symbol(const char* name) const {
    return library_.symbol<Function>(name);
  }
  // The same of the CUDA plugin, null without it.
  template <class Function>
  [[nodiscard]] Function cuda_symbol(const char* name) const {
    return plugin_ ? plugin_->symbol<Function>(name) : nullptr;
  }

 private:
  Engine(Library library) : library_(std::move(library)) {}

  Library library_;
  std::optional<Library> plugin_;
  std::filesystem::path libtorch_;
  std::string torch_version_;
  std::optional<std::string> cuda_obstacle_;
  Backend* cuda_ = nullptr;
};

// The 'torch' folder to use: RIDGELINE_LIBTORCH, else the one this build was made with, else the
// cache's, else that of the python3 on the path. Throws Error(Device) saying what to do.
[[nodiscard]] std::filesystem::path find_libtorch();
// From <torch>/version.py, for example "2.11.0+cu130".
[[nodiscard]] std::string read_torch_version(const std::filesystem::path& libtorch);
inline constexpr const char* kSupportedTorch = "2.11.";

// One of our libraries: beside the program in a build folder, in ../lib in a package.
[[nodiscard]] std::filesystem::path library_path(std::string_view name);

// Whether this machine has an NVIDIA driver; loading CUDA's libraries without one is a waste.
[[nodiscard]] bool has_nvidia_driver();

}  // namespace ridgeline
