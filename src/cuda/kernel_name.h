#pragma once

#include <string>

namespace ridgeline {

// A kernel's name as its source has it; `name` may be null.
[[nodiscard]] std::string demangled_kernel(const char* name);

}  // namespace ridgeline
