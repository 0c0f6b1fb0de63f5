#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/units.h"

namespace ridgeline {

// The file has its old content or the new one, never a part, whatever happens meanwhile. Parent
// folders are made. A device or pipe (/dev/stdout) is written straight: a rename would replace it.
// Throws Error(Io) with path and reason.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Throws Error(Io) when the file is missing, a folder, unreadable or larger than `limit`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, Bytes limit);

}  // namespace ridgeline
