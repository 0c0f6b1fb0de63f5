// For LD_PRELOAD: profiles the whole run of a LibTorch program that knows nothing of Ridgeline. It
// links nothing, least of all torch: shells and other programs that inherit the variable must start
// as ever.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

namespace {

constexpr const char* kLibrary = "libridgeline_profile.so";

void* open_beside(const char* own) {
  const char* const slash = std::strrchr(own, '/');
  const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - own) + 1;
  char path[4096];
  const int length =
      std::snprintf(path, sizeof path, "%.*s%s", static_cast<int>(folder), own, kLibrary);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) return nullptr;
  return ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void complain() {
  const char* const reason = ::dlerror();
  std::fprintf(stderr, "ridgeline: %s; the program runs unprofiled\n",
               reason == nullptr ? "libridgeline_profile.so does not load" : reason);
}

__attribute__((constructor)) void begin() {
  const char* const wanted = std::getenv("RIDGELINE_PROFILE");
  if (wanted == nullptr || *wanted == '\0') return;
  if (::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD) == nullptr) return;
  Dl_info own{};
  if (::dladdr(reinterpret_cast<void*>(&begin), &own) == 0 || own.dli_fname == nullptr) return;
  // Torch's libraries are initialised by this if they were not yet.
  void* const library = open_beside(own.dli_fname);
  if (library == nullptr) return complain();
  void* const start = ::dlsym(library, "ridgeline_profile_whole_run");
  if (start == nullptr) return complain();
  reinterpret_cast<void (*)()>(start)();
}

}  // namespace
