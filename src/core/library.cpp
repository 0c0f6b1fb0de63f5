#include "core/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/error.h"

namespace ridgeline {

Library Library::open(const std::filesystem::path& path, const LibraryOptions& options) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | (options.global ? RTLD_GLOBAL : RTLD_LOCAL));
  if (handle == nullptr) {
    const char* words = ::dlerror();
    throw Error(Fault::Io, fmt::format("cannot load '{}': {}", path.string(),
                                       words == nullptr ? "unknown reason" : words));
  }
  return {handle, path.string()};
}

void* Library::find_address(const char* name) const { return ::dlsym(handle_, name); }

void* Library::address(const char* name) const {
  void* found = find_address(name);
  if (found == nullptr) {
    throw Error(Fault::Io,
                fmt::format("'{}' has no symbol '{}': is it of another version?", name_, name));
  }
  return found;
}

}  // namespace ridgeline
