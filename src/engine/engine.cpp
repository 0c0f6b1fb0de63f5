#include "engine/engine.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "core/cache_folder.h"
#include "core/error.h"
#include "core/process.h"

namespace ridgeline {
namespace {

namespace fs = std::filesystem;

bool is_libtorch(const fs::path& folder) { return fs::exists(folder / "lib" / "libtorch_cpu.so"); }

std::optional<fs::path> from_environment() {
  const char* value = std::getenv("RIDGELINE_LIBTORCH");
  if (value == nullptr || *value == '\0') return std::nullopt;
  if (is_libtorch(value)) return value;
  throw Error(Fault::Device,
              fmt::format("RIDGELINE_LIBTORCH={}: no lib/libtorch_cpu.so there; it must "
                          "name the 'torch' folder of a Python with torch 2.11",
                          value));
}

// Written by CMake into a build folder; a package has none.
std::optional<fs::path> from_build() {
  std::ifstream file(own_program().parent_path() / "libtorch.path");
  std::string line;
  if (!std::getline(file, line) || !is_libtorch(line)) return std::nullopt;
  return line;
}

std::optional<fs::path> from_cache() {
  const auto cache = cache_folder();
  if (!cache) return std::nullopt;
  std::error_code ignored;
  for (const auto& python : fs::directory_iterator(*cache / "python/lib", ignored)) {
    if (is_libtorch(python.path() / "site-packages/torch"))
      return python.path() / "site-packages/torch";
  }
  return std::nullopt;
}

// find_spec does not import torch, which would take seconds.
std::optional<fs::path> from_python() {
  if (!find_program("python3")) return std::nullopt;
  const ChildResult answer = run_child({"python3", "-c",
                                        "import importlib.util as u; s = u.find_spec('torch'); "
                                        "print(s.submodule_search_locations[0] if s else '')"},
                                       {.timeout = Seconds{20}});
  const std::string path = answer.out.substr(0, answer.out.find('\n'));
  if (answer.exit_code != 0 || path.empty() || !is_libtorch(path)) return std::nullopt;
  return path;
}

// The plugin, where it and a device work; else the obstacle.
std::optional<Library> load_cuda(const fs::path& libtorch, std::optional<std::string>& obstacle) {
  if (!has_nvidia_driver()) {
    obstacle = "no NVIDIA driver on this machine (libcuda.so.1 not found)";
    return std::nullopt;
  }
  const fs::path plugin = library_path("libridgeline_cuda.so");
  if (!fs::exists(plugin)) {
    obstacle = "this build has no CUDA plugin (it was built without nvcc)";
    return std::nullopt;
  }
  try {
    (void)Library::open(libtorch / "lib/libtorch_cuda.so", {.global = true});
    Library library = Library::open(plugin, {.global = false});
    if (library.symbol<MakeBackend>(kCudaBackendSymbol)()->device_count() > 0) return library;
    obstacle = "the driver shows no CUDA device";
  } catch (const Error& error) {
    obstacle = fmt::format("CUDA libraries do not load: {}", error.what());
  }
  return std::nullopt;
}

}  // namespace

fs::path library_path(std::string_view name) {
  const fs::path folder = own_program().parent_path();
  const fs::path beside = folder / name;
  return fs::exists(beside) ? beside : folder.parent_path() / "lib" / name;
}

bool has_nvidia_driver() {
  try {
    (void)Library::open("libcuda.so.1", {.global = false});
    return true;
  } catch (const Error&) {
    return false;
  }
}

fs::path find_libtorch() {
  for (const auto& source : {from_environment, from_build, from_cache, from_python}) {
    if (auto found = source()) return *found;
  }
  throw Error(
      Fault::Device,
      "LibTorch not found: install torch 2.11 for python3 (pip install torch==2.11.0), or set "
      "RIDGELINE_LIBTORCH to the 'torch' folder of a Python that has it");
}

std::string read_torch_version(const fs::path& libtorch) {
  std::ifstream file(libtorch / "version.py");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("__version__")) continue;
    const auto first = line.find('\'');
    const auto last = line.rfind('\'');
    if (first < last) return line.substr(first + 1, last - first - 1);
  }
  return "unknown";
}

Engine Engine::load(bool want_cuda) {
  const fs::path libtorch = find_libtorch();
  const std::string version = read_torch_version(libtorch);
  if (!version.starts_with(kSupportedTorch)) {
    throw Error(Fault::Device,
                fmt::format("{} holds torch {}; this build needs {}x (C++ has no stable "
                            "interface across versions)",
                            libtorch.string(), version, kSupportedTorch));
  }
  (void)Library::open(libtorch / "lib/libtorch_cpu.so", {.global = true});
  std::optional<std::string> obstacle =
      want_cuda ? std::nullopt : std::optional<std::string>("not asked for");
  std::optional<Library> plugin = want_cuda ? load_cuda(libtorch, obstacle) : std::nullopt;
  Engine engine(Library::open(library_path("libridgeline_engine.so"), {.global = false}));
  engine.libtorch_ = libtorch;
  engine.torch_version_ = version;
  engine.cuda_obstacle_ = obstacle;
  engine.cuda_ = plugin ? plugin->symbol<MakeBackend>(kCudaBackendSymbol)() : nullptr;
  engine.plugin_ = std::move(plugin);
  return engine;
}

Backend& Engine::backend(const Device& device) const {
  if (device.kind == DeviceKind::Cpu) return *symbol<MakeBackend>("ridgeline_cpu_backend")();
  if (cuda_ == nullptr) {
    throw Error(Fault::Device,
                fmt::format("{}: {}", name_of(device), cuda_obstacle_.value_or("no CUDA")));
  }
  if (device.index >= cuda_->device_count()) {
    throw Error(Fault::Device, fmt::format("{}: this machine has {} CUDA device(s)",
                                           name_of(device), cuda_->device_count()));
  }
  return *cuda_;
}

}  // namespace ridgeline
