#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.h"

namespace ridgeline {

// The one line with which every reader of this layer refuses a file. `source` is the path, with the
// part inside it where there is one ("model.pt: archive/data.pkl").
[[nodiscard]] Error malformed(std::string_view source, std::string_view what);
[[nodiscard]] Error malformed(std::string_view source, std::uint64_t offset, std::string_view what);

// A path, or a name inside an archive, fit for a message: without control characters, and cut only
// where no one would read on.
[[nodiscard]] std::string on_one_line(std::string_view path);

// A name out of a foreign file, fit for a message: no control characters, not too long.
[[nodiscard]] std::string in_quotes(std::string_view name);

// False for names that leave the folder they are meant for: absolute, with "..", empty, with NUL
// or a backslash.
[[nodiscard]] bool stays_inside(std::string_view name);

}  // namespace ridgeline
