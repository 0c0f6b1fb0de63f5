#pragma once

#include <filesystem>
#include <string>

#include "roofline/ncu_points.h"

namespace ridgeline {

struct NcuFileOptions {
  std::string ncu = "ncu";  // a name to look up in PATH, or a path
};

// A CSV of ncu, or an .ncu-rep through ncu itself (--import). Throws Error(Io) when the file cannot
// be read or ncu is not there or fails, Error(BadInput) when it holds nothing to place.
[[nodiscard]] NcuPoints read_ncu_file(const std::filesystem::path& file,
                                      const NcuFileOptions& options = {});

// By content, not by name.
[[nodiscard]] bool is_ncu_report(std::string_view text);  // ncu's own binary format

}  // namespace ridgeline
