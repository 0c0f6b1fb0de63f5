#include "cuda/plugin.h"

#include <ATen/Context.h>

#include <filesystem>

#include <dlfcn.h>

namespace ridgeline {
namespace {

std::filesystem::path library_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? std::filesystem::path(info.dli_fname)
                                     : std::filesystem::path();
}

Plugin load() {
  // libtorch_cuda beside the libtorch_cpu that this program already runs with.
  const auto* torch = reinterpret_cast<const void*>(&at::globalContext);
  const auto torch_cuda = library_of(torch).parent_path() / "libtorch_cuda.so";
  if (dlopen(torch_cuda.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return {.obstacle = std::string("no CUDA part of LibTorch: ") + dlerror()};
  }
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto beside = here.parent_path() / "libridgeline_cuda.so";
  void* library = dlopen(beside.c_str(), RTLD_NOW);
  if (library == nullptr) library = dlopen("libridgeline_cuda.so", RTLD_NOW);
  if (library == nullptr) return {.obstacle = std::string("no CUDA plugin: ") + dlerror()};
  const auto make = reinterpret_cast<MakeBackend>(dlsym(library, kCudaBackendSymbol));
  const auto watch =
      reinterpret_cast<MakeDeviceObserver>(dlsym(library, kMakeDeviceObserverSymbol));
  const auto replays =
      reinterpret_cast<MakeDeviceObserver>(dlsym(library, kMakeReplayObserverSymbol));
  const auto count =
      reinterpret_cast<MakeDeviceCounters>(dlsym(library, kMakeDeviceCountersSymbol));
  const auto probes = reinterpret_cast<AddCudaProbes>(dlsym(library, kCudaProbesSymbol));
  if (make == nullptr || watch == nullptr || replays == nullptr || count == nullptr ||
      probes == nullptr)
    return {.obstacle = std::string("not the CUDA plugin: ") + dlerror()};
  return {.backend = make(),
          .make_device_observer = watch,
          .make_replay_observer = replays,
          .make_device_counters = count,
          .add_peak_probes = probes,
          .obstacle = {}};
}

}  // namespace

const Plugin& plugin() {
  static const Plugin loaded = load();
  return loaded;
}

}  // namespace ridgeline
