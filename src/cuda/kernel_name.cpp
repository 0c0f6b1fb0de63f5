#include "cuda/kernel_name.h"

#include <cstdlib>

#include <cxxabi.h>

namespace ridgeline {

std::string demangled_kernel(const char* name) {
  if (name == nullptr) return "unnamed kernel";
  int status = 0;
  char* const readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = status == 0 ? readable : name;
  std::free(readable);
  return text;
}

}  // namespace ridgeline
