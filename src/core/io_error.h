#pragma once

#include <filesystem>
#include <string_view>

#include "core/error.h"

namespace ridgeline {

// "cannot write 'runs/x': No space left on device", from an errno.
[[nodiscard]] Error io_error(std::string_view action, const std::filesystem::path& path, int code);

}  // namespace ridgeline
