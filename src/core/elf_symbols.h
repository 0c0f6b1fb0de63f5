#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/mapped_file.h"

namespace ridgeline {

// The functions that a program or library (ELF, 64 bits, little-endian) has names for, those that
// it does not export among them. The file is not trusted; one that is no such file or was stripped
// has none.
class ElfSymbols {
 public:
  // Never throws for what the file holds or that it is not there.
  explicit ElfSymbols(const std::filesystem::path& file);

  // Of the function whose code lies at an address of the file's own; mangled, empty for none.
  [[nodiscard]] std::string_view name_at(std::uint64_t address) const;
  // The lowest address that is loaded: where the file's begin lies in memory.
  [[nodiscard]] std::uint64_t base() const { return base_; }

 private:
  struct Function {
    std::uint64_t begin{};
    std::uint64_t end{};
    std::string_view name{};
  };
  void read();

  std::shared_ptr<const MappedFile> file_;  // what names point into
  std::vector<Function> functions_;         // by begin
  std::uint64_t base_ = 0;
};

}  // namespace ridgeline
