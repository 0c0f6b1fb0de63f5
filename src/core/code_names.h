#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "core/elf_symbols.h"

namespace ridgeline {

// Names of functions of this process by return addresses into them, demangled, as frames of a
// folded stack (without ';' and line breaks).
class CodeNames {
 public:
  // "[lib.so]" for a function whose library has no name for it, "[generated code]" for one that no
  // file holds: what a library such as oneDNN made while it ran. Good while this lives.
  [[nodiscard]] const std::string& of(void* return_address);

 private:
  [[nodiscard]] std::string name_of(void* return_address);

  std::unordered_map<void*, std::string> known_;
  std::map<std::string, ElfSymbols> files_;
};

}  // namespace ridgeline
