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

// A name out of a foreign file, fit for a message: no control characters, not too long.
[[nodiscard]] std::string in_quotes(std::string_view name);

// False for names that leave the folder they are meant for: absolute, with "..", empty, with NUL
// or a backslash.
[[nodiscard]] bool stays_inside(std::string_view name);

}  // namespace ridgeline
